import { UnexpectedStatus } from "../faults.ts";
import type { HttpAnswer } from "../../../base/http/exchange.ts";
import type { Client } from "../client.ts";

/** The most requests that one investigation sends. */
export const mostRequests = 20;

/** All requests that an investigation may send are sent. */
export class OutOfRequests extends Error {
  override name = "OutOfRequests";
}

/** Asks a service, and counts. */
export type Asker = {
  /**
   * The answer as it came, undefined where the service does not take the request. Then it answers a status from 400 to
   * 499 that does not pass and is not about the key. Throws OutOfRequests, and what the client throws.
   */
  readonly ask: (
    path: string | URL,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<HttpAnswer | undefined>;
  /** Requests sent so far, further attempts included. */
  readonly requests: () => number;
};

/** Asks through a client of which each request makes `attempts` attempts at most; `empty` are statuses without records. */
export function newAsker(client: Client, attempts: number, empty: readonly number[] = []): Asker {
  const before = client.counts.requests;
  const requests = (): number => client.counts.requests - before;
  return {
    requests,
    ask: async (path, parameters) => {
      if (requests() + attempts > mostRequests) throw new OutOfRequests();
      try {
        return await client.get(path, parameters, (answer) => answer, [200, 204, ...empty]);
      } catch (error) {
        if (error instanceof UnexpectedStatus) return undefined;
        throw error;
      }
    },
  };
}
