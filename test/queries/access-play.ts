import { expect } from "vitest";
import { newAccess, type Access, type AccessOptions } from "../../fixtures/access.ts";
import { makeNextChange, send, type AccessRequest } from "../../fixtures/access/changes.ts";
import type { AccessSnapshot } from "../../fixtures/access/snapshot.ts";
import { newRandom } from "../../fixtures/random.ts";
import { makeEstate, type Estate } from "../../fixtures/traffic/estate.ts";
import { hourMs, type Remote } from "../support/remote.ts";

export const noon = Date.UTC(2026, 3, 6, 12);
/** When all initial rights were granted. */
export const foundedAt = noon - hourMs;

/** The state from a moment on, until the next change; milliseconds. */
export type Known = { readonly fromMs: number; readonly state: AccessSnapshot };

export type Played = {
  readonly access: Access;
  readonly states: readonly Known[];
  /** What was asked for, by the moment. */
  readonly requests: ReadonlyMap<number, AccessRequest>;
};

export type PlayOptions = Partial<AccessOptions> & {
  /** Many changes in one second, of few people, policies and databases: they meet and undo each other. */
  readonly isCrowded?: boolean;
};

/** Asks the service for so many random changes of its access control, up to ten minutes apart, over HTTP. */
export async function play(
  remote: Remote,
  seed: number,
  changes: number,
  { isCrowded = false, ...options }: PlayOptions = {},
): Promise<Played> {
  const { clock, key } = remote;
  const now = (): number => clock.nowMs;
  const access = newAccess({ seed, apiKey: key, now, foundedAt, ...options });
  const { url } = await remote.serve([], { access });
  const random = newRandom(seed, "access history");
  const states: Known[] = [{ fromMs: clock.nowMs, state: access.snapshot() }];
  const requests = new Map<number, AccessRequest>();
  for (let i = 0; i < changes; i++) {
    // The first change has a second of its own: the state before it is known, too.
    const isNext = !isCrowded || i === 0 || random.chance(0.2);
    clock.nowMs += isNext ? 1000 * random.int(1, 600) : random.int(0, 20);
    const estate = makeEstate(seed);
    const request = isCrowded
      ? makeNextChange(random, few(access.snapshot()), fewDatabases(estate))
      : makeNextChange(random, access.snapshot(), estate);
    const response = await send(url, access, request);
    expect(response.ok, `${request.verb} ${request.path}`).toBe(true);
    await response.text();
    requests.set(clock.nowMs, request);
    const fromMs = computeSecond(clock.nowMs);
    if (states.length > 1 && states.at(-1)!.fromMs === fromMs) states.pop();
    states.push({ fromMs, state: access.snapshot() });
  }
  return { access, states, requests };
}

const computeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

const few = (state: AccessSnapshot): AccessSnapshot => ({
  ...state,
  policies: state.policies.slice(0, 2),
  users: state.users.slice(0, 3),
  roles: state.roles.slice(0, 2),
});

const fewDatabases = (estate: Estate): Estate => ({
  ...estate,
  databases: estate.databases.slice(0, 2),
});
