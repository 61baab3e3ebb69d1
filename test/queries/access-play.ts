import { expect } from "vitest";
import { accessOf, type Access, type AccessOptions } from "../../fixtures/access.ts";
import { nextChange, send, type AccessRequest } from "../../fixtures/access/changes.ts";
import type { AccessSnapshot } from "../../fixtures/access/snapshot.ts";
import { randomOf } from "../../fixtures/random.ts";
import { estateOf } from "../../fixtures/traffic/estate.ts";
import { hourMs, type Remote } from "../support/remote.ts";

export const noon = Date.UTC(2026, 3, 6, 12);
/** When everything that stands to begin with was granted. */
export const foundedAt = noon - hourMs;

/** The state from a moment on, until the next change; milliseconds. */
export type Known = { readonly fromMs: number; readonly state: AccessSnapshot };

export type Played = {
  readonly access: Access;
  readonly states: readonly Known[];
  /** What was asked for, by the moment. */
  readonly requests: ReadonlyMap<number, AccessRequest>;
};

/** Asks the service for so many random changes of its access control, up to ten minutes apart, over HTTP. */
export async function play(
  remote: Remote,
  seed: number,
  changes: number,
  options: Partial<AccessOptions> = {},
): Promise<Played> {
  const { clock, key } = remote;
  const now = (): number => clock.nowMs;
  const access = accessOf({ seed, apiKey: key, now, foundedAt, ...options });
  const { url } = await remote.serve([], { access });
  const random = randomOf(seed, "access history");
  const states = [{ fromMs: clock.nowMs, state: access.snapshot() }];
  const requests = new Map<number, AccessRequest>();
  for (let i = 0; i < changes; i++) {
    clock.nowMs += 1000 * random.int(1, 600);
    const request = nextChange(random, access.snapshot(), estateOf(seed));
    const response = await send(url, access, request);
    expect(response.ok, `${request.verb} ${request.path}`).toBe(true);
    await response.text();
    requests.set(clock.nowMs, request);
    states.push({ fromMs: clock.nowMs, state: access.snapshot() });
  }
  return { access, states, requests };
}
