import type { ServerResponse } from "node:http";
import { type Random, newRandom } from "../../fixtures/random.ts";
import type { Remote } from "../support/remote.ts";
import { formatBody, operations, type Held } from "./timeline/evidence.ts";

// Policies whose sets change while they are read, from a service that answers late, with and without a time, by a
// program whose clock is wrong by up to an hour. Only this code has the true order: the log has whole seconds and
// every change.

const secondMs = 1000;
const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 2, 2, 12);

/** A change at its true moment; a set of undefined is a policy that does not exist. */
export type Change = {
  readonly atMs: number;
  readonly set: Held | undefined;
  readonly event: "create" | "modify" | "delete";
};

export type Policy = {
  readonly id: string;
  /** Its rights before the log. */
  readonly first: Held | undefined;
  readonly changes: Change[];
  /** Its readings, at their true moments. */
  readonly readings: { readonly atMs: number; readonly isDated: boolean }[];
  /** Policies of this kind are never changed: snapshots alone show them. */
  readonly isFixed: boolean;
};

const makeSet = (random: Random): Held => operations.filter(() => random.chance(0.4));

/** Draws policies in their state before the log: existing, or not yet created. */
export function newPolicies(seed: number, count: number): Policy[] {
  return Array.from({ length: count }, (_, i) => {
    const random = newRandom(seed, `policy ${i}`);
    const isFixed = random.chance(0.15);
    const first = isFixed || random.chance(0.5) ? makeSet(random) : undefined;
    return { id: String(100 + i), first, changes: [], readings: [], isFixed };
  });
}

/** The set after all changes until a true moment, this one too. */
export function setAt({ first, changes }: Policy, ms: number): Held | undefined {
  const last = changes.findLast(({ atMs }) => atMs <= ms);
  return last === undefined ? first : last.set;
}

/** Adds a change, later than all others of the policy. The first one states the set before it. */
function change(policy: Policy, atMs: number, random: Random): void {
  const last = policy.changes.at(-1);
  if (policy.isFixed || (last !== undefined && atMs <= last.atMs)) return;
  const before = setAt(policy, atMs);
  if (before === undefined) {
    // The log does not show the set that a creation gives; the first change after that states it.
    const set = last === undefined && random.chance(0.5) ? makeSet(random) : [];
    policy.changes.push({ atMs, set, event: "create" });
  } else if (last?.event === "modify" && random.chance(0.25)) {
    policy.changes.push({ atMs, set: undefined, event: "delete" });
  } else {
    policy.changes.push({ atMs, set: makeSet(random), event: "modify" });
  }
}

/** The changes of a policy as the log has them. */
export function listRecords(policy: Policy): object[] {
  return policy.changes.map(({ atMs, set, event }, i) => {
    const before = i === 0 ? policy.first : policy.changes[i - 1]!.set;
    const sets = { old_value: formatBody(before ?? []), new_value: formatBody(set ?? []) };
    return {
      id: `${policy.id}-${i}`,
      time: Math.floor(atMs / secondMs),
      event_name: `permission_policy_${event}`,
      resource_id: policy.id,
      ...(event === "modify" ? { attribute_name: "permissions", ...sets } : {}),
    };
  });
}

const rounds = 5;

/** Plays the rounds: changes, the log of what was until then, and a snapshot while more changes are made. */
export async function play(
  remote: Remote,
  policies: readonly Policy[],
  seed: number,
): Promise<void> {
  const random = newRandom(seed, "rounds");
  let trueMs = startMs;
  await remote.serve([]);
  for (let round = 0; round < rounds; round++) {
    for (const policy of policies)
      for (let i = random.int(0, 2); i > 0; i--)
        change(policy, trueMs + random.int(0, 600) * secondMs + random.int(0, 999), random);
    trueMs += 601_000 + random.int(0, 2 * 3600) * secondMs;
    await load(remote, policies);
    const known = policies.filter(({ changes, isFixed }) => isFixed || changes.length > 0);
    const ids = known.filter(() => random.chance(0.8)).map(({ id }) => id);
    const isDated = round % 2 === 0;
    remote.clock.nowMs = trueMs + random.int(-hourMs, hourMs);
    remote.fault((request, response) => {
      const [, id] = /policies\/(\d+)\/permissions/.exec(request.url ?? "")!;
      const policy = policies.find((one) => one.id === id)!;
      const pass = (mostMs: number): void => {
        const ms = random.chance(0.3) ? 0 : random.int(0, mostMs);
        trueMs += ms;
        remote.clock.nowMs += ms;
      };
      if (random.chance(0.4)) change(policy, trueMs, random);
      pass(4000);
      if (random.chance(0.3)) change(policy, trueMs, random);
      const set = setAt(policy, trueMs);
      policy.readings.push({ atMs: trueMs, isDated });
      pass(300);
      // The answer has its time, and comes late.
      const dateMs = trueMs;
      if (random.chance(0.4)) change(policy, trueMs + random.int(0, 1200), random);
      pass(5000);
      respond(response, set, isDated ? dateMs : undefined);
      return true;
    });
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    if (ids.length === 0) continue;
    const { code, err } = await remote.home.run(["policy", "snapshot", ...ids], world);
    if (code !== 0) throw new Error(`policy snapshot ended with ${code}: ${err}`);
    trueMs += 60_000;
  }
  await load(remote, policies);
}

function respond(
  response: ServerResponse,
  set: Held | undefined,
  dateMs: number | undefined,
): void {
  response.removeHeader("date");
  if (dateMs === undefined) response.sendDate = false;
  else response.setHeader("date", new Date(dateMs).toUTCString());
  response.writeHead(set === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(set === undefined ? "{}" : formatBody(set));
}

async function load({ home }: Remote, policies: readonly Policy[]): Promise<void> {
  const { code, err } = await home.load(policies.flatMap(listRecords));
  if (code !== 0) throw new Error(`import ended with ${code}: ${err}`);
}
