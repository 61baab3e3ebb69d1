import { expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import type { SentChange } from "../../../../pipeline/answers/access/log.ts";
import { type LoggedSet, matchProofs } from "../../../../pipeline/answers/access/sent-changes.ts";
import type { PermissionSet } from "../../../../schemas/policies.ts";

// A change is proven by an event that may be its own, and not by an event of another change.

const startMs = Date.UTC(2026, 2, 1, 12);
const buildSet = (ids: string): PermissionSet => ({ Databases: [{ operation: "query", ids }] });

function changeAt(
  ms: number,
  from: string,
  to: string,
  more: Partial<SentChange> = {},
): SentChange {
  return {
    version: 1,
    change_id: "c1",
    source: "default",
    policy_id: "7",
    sent_at: new Date(startMs + ms).toISOString(),
    verb: "set",
    by_whom: "ana",
    api_user: null,
    reason: null,
    before: JSON.stringify(buildSet(from)),
    after: JSON.stringify(buildSet(to)),
    outcome: "in_place",
    ...more,
  };
}

function eventAt(ms: number, from: string, to: string, more: Partial<LoggedSet> = {}): LoggedSet {
  return {
    key: "e1",
    timeMs: startMs + ms,
    source: "default",
    policyId: "7",
    email: "own@example.com",
    userId: "5",
    before: buildSet(from),
    after: buildSet(to),
    ...more,
  };
}

const provenBy = (change: SentChange, ...events: LoggedSet[]): string | undefined =>
  matchProofs([change], events).get("c1")?.key;

test.each(["not_sent", "changed_meanwhile", "refused"])("%s is not a proof", (outcome) => {
  expect(provenBy(changeAt(0, "1", "2", { outcome }), eventAt(0, "1", "2"))).toBeUndefined();
});

test("a proof has the same previous set, policy and source, if both are known", () => {
  const change = changeAt(0, "1", "2");
  expect(provenBy(change, eventAt(0, "3", "2"))).toBeUndefined();
  expect(provenBy(change, eventAt(0, "1", "2", { policyId: "8" }))).toBeUndefined();
  expect(provenBy(change, eventAt(0, "1", "2", { source: "other" }))).toBeUndefined();
  expect(provenBy(change, eventAt(0, "1", "2", { before: undefined }))).toBe("e1");
  const better = eventAt(60_000, "1", "2", { key: "e2" });
  expect(provenBy(change, eventAt(0, "1", "2", { before: undefined }), better)).toBe("e2");
});

test.each([
  ["OWN@example.com", {}, true],
  ["5", {}, true],
  ["6", {}, false],
  ["ann@example.com", {}, false],
  ["ann@example.com", { email: null }, true],
  ["6", { userId: null }, true],
])("a key of %s and an actor with %j: %s", (api_user, actor, isProven) => {
  const proof = provenBy(changeAt(0, "1", "2", { api_user }), eventAt(0, "1", "2", actor));
  expect(proof).toBe(isProven ? "e1" : undefined);
});

test("kinds that the service retains may be logged or not, others must be those that were sent", () => {
  const jobs = { Jobs: [{ operation: "run" }] };
  const before = JSON.stringify({ ...buildSet("1"), ...jobs });
  const kept = changeAt(0, "1", "2", { outcome: "kept_further", before });
  expect(provenBy(kept, eventAt(0, "1", "2"))).toBe("e1");
  expect(provenBy(kept, eventAt(0, "1", "2", { after: { ...buildSet("2"), ...jobs } }))).toBe("e1");
  const other = { ...buildSet("2"), Jobs: [{ operation: "view" }] };
  expect(provenBy(kept, eventAt(0, "1", "2", { after: other }))).toBeUndefined();
});

test("each event proves one change, in 2,000 random histories, seed 7", () => {
  const random = newRandom(7, "proofs");
  let proven = 0;
  for (let i = 0; i < 2000; i++) {
    const skewMs = random.int(-240_000, 600_000);
    const held: Record<string, string> = { "7": "0", "8": "0" };
    const changes: SentChange[] = [];
    const events: LoggedSet[] = [];
    const mine = new Map<string, string>();
    let ms = 0;
    for (let n = 0; n < random.int(1, 14); n++) {
      ms += random.int(300, 4000);
      const policyId = random.pick(["7", "8"]);
      const [from, to] = [held[policyId]!, String(random.int(0, 2))];
      const isMine = random.chance(0.6);
      const isTaken = random.chance(0.8);
      const api_user = random.pick([null, "5"]);
      const change = { change_id: `c${n}`, policy_id: policyId, api_user };
      if (isMine && from !== to)
        changes.push(
          changeAt(ms, from, to, { ...change, outcome: isTaken ? "in_place" : "refused" }),
        );
      if (from === to || !isTaken) continue;
      held[policyId] = to;
      // Keys are in no order, and the log keeps whole seconds.
      const key = random.uuid();
      const timeMs = Math.floor((startMs + ms + skewMs + random.int(0, 1000)) / 1000) * 1000;
      const actor = isMine ? {} : { email: "ann@example.com", userId: random.pick(["6", null]) };
      events.push(eventAt(0, from, to, { key, timeMs, policyId, ...actor }));
      if (isMine) mine.set(change.change_id, key);
    }
    const proofs = matchProofs(changes, events);
    const used = [...proofs.values()].map(({ key }) => key);
    expect(new Set(used).size, `history ${i}`).toBe(used.length);
    expect([...proofs.keys()].sort(), `history ${i}`).toEqual([...mine.keys()].sort());
    for (const { change_id: id, policy_id, before, after, api_user } of changes) {
      const proof = proofs.get(id);
      if (proof === undefined) continue;
      expect(
        [proof.policyId, JSON.stringify(proof.before), JSON.stringify(proof.after)],
        `history ${i}`,
      ).toEqual([policy_id, before, after]);
      if (api_user !== null) expect(proof.userId ?? api_user, `history ${i}`).toBe(api_user);
    }
    proven += used.length;
  }
  expect(proven).toBeGreaterThan(2000);
});

test("the nearest change is chosen without a skew, and no earlier change of another user", () => {
  const earlier = eventAt(-120_000, "1", "2", { key: "theirs" });
  expect(provenBy(changeAt(0, "1", "2"), earlier, eventAt(1000, "1", "2"))).toBe("e1");
});
