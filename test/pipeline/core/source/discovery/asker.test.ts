import { expect, test } from "vitest";
import type { Client } from "../../../../../pipeline/core/source/client.ts";
import {
  mostRequests,
  newAsker,
  OutOfRequests,
} from "../../../../../pipeline/core/source/discovery/asker.ts";

// A client that has sent some requests already, and makes as many attempts each time.
function newClient(attempts: number): Client {
  const counts = { requests: 7 };
  const get = (): Promise<undefined> => {
    counts.requests += attempts;
    return Promise.resolve(undefined);
  };
  return { counts, get } as unknown as Client;
}

test.each([1, 2, 3, 7, mostRequests])(
  "no more requests are sent than allowed, with %i attempts each",
  async (attempts) => {
    const asker = newAsker(newClient(attempts), attempts);
    const whole = Math.floor(mostRequests / attempts);
    for (let i = 0; i < whole; i++) await asker.ask("/", {});
    await expect(asker.ask("/", {})).rejects.toThrow(OutOfRequests);
    expect(asker.requests()).toBe(whole * attempts);
  },
);
