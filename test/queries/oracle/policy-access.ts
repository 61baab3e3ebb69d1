import { isNamed, momentOf, objectOf, read, stampOf, type Read } from "./access-rows.ts";
import { holdingsOf, marksOf, type Holding } from "./holdings.ts";
import { isHeldAt } from "./policies.ts";
import { knownOf, reachOf, whileThere } from "./reach.ts";
import { sorted, stamp, type Cell, type Oracle, type Row } from "./rows.ts";

type Life = {
  readonly id: string;
  /** When it was made last before the moment. */
  readonly madeAt: number | null;
  /** Whether anything tells what it holds in its life of then: it may be made again. */
  readonly isTold: boolean;
};

// The policies that stand at a moment. One that is spoken of after its deletion is there again; what is made later was
// not there before.
function livesAt({ facts, policies }: Read, time: number): Life[] {
  const told = facts.filter((f) => f.outcome === "succeeded");
  const marks = marksOf(facts);
  return [...policies.keys()].flatMap((id): Life[] => {
    const own = told.filter(
      (f) =>
        f.text("resource_id") === id &&
        // Who leaves a policy that was deleted does not bring it back.
        /^permission_policy_(create|modify|delete|attach_user)$/.test(f.canonical ?? ""),
    );
    const made = own.filter((f) => f.canonical === "permission_policy_create");
    const before = own.filter((f) => f.time <= time);
    const last = Math.max(...before.map((f) => f.time));
    const first = Math.min(...own.map((f) => f.time));
    const stands =
      before.length > 0
        ? !before.some((f) => f.time === last && f.canonical === "permission_policy_delete")
        : !made.some((f) => f.time === first);
    if (!stands) return [];
    const madeAt = Math.max(...made.filter((f) => f.time <= time).map((f) => f.time));
    const ends = own.filter((f) => f.canonical === "permission_policy_delete").map((f) => f.time);
    const since = Math.max(...ends.filter((end) => end <= time));
    const until = Math.min(...ends.filter((end) => end > time));
    const isStated = marks.some(
      (m) =>
        m.subjectKind === "policy" &&
        m.subjectId === id &&
        m.isStatement &&
        m.fact.time > since &&
        m.fact.time <= until,
    );
    return [
      {
        id,
        madeAt: madeAt === -Infinity ? null : madeAt,
        isTold: isStated || (madeAt !== -Infinity && madeAt >= since),
      },
    ];
  });
}

/** How reports name a policy. */
export const policyName = (id: string, all: Read): Cell =>
  all.policies.get(id)?.name ?? `policy ${id}`;

/** What policies hold, on databases that are there. */
export function heldBy({ facts, databases }: Read): Holding[] {
  return holdingsOf(facts)
    .filter((h) => h.subjectKind === "policy")
    .flatMap((h) => {
      const { kind, objectId } = h.right;
      return whileThere({ ...h, kind, objectId }, databases);
    });
}

/** What each policy holds; one that holds nothing is a row of its own. */
export const effectivePermissions: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = momentOf(params);
  const held = heldBy(all).filter((h) => isHeldAt(h, on));
  const holds = new Set(held.map((h) => h.subjectId));
  const empty = livesAt(all, on).filter((life) => !holds.has(life.id));
  const rows: Row[] = [
    ...held.map(({ subjectId, right, from, to, isSure }) => ({
      policy: policyName(subjectId!, all),
      resource_kind: right.kind,
      operation: right.operation,
      object: objectOf(right, all),
      reach: right.kind === "Databases" ? reachOf(right) : null,
      valid_from: stampOf(from),
      valid_to: stampOf(to),
      known_from: knownOf(isSure),
      policy_id: subjectId,
      object_id: right.objectId,
    })),
    ...empty.map(({ id, isTold }) => ({
      ...nothing,
      known_from: isTold ? null : "not told",
      policy: policyName(id, all),
      policy_id: id,
    })),
  ];
  const wanted = params["policy"] ?? null;
  return sorted(
    rows.filter((row) => isNamed(wanted, row["policy_id"] ?? null, row["policy"] ?? null)),
    "policy policy_id resource_kind operation object object_id reach valid_from valid_to known_from",
  );
};

const nothing: Row = {
  resource_kind: null,
  operation: null,
  object: null,
  reach: null,
  valid_from: null,
  valid_to: null,
  known_from: null,
  object_id: null,
};

/** Policies to which nobody belongs. */
export const unheldPolicies: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = momentOf(params);
  const holdings = holdingsOf(all.facts);
  const ofPolicies = heldBy(all);
  const rows = livesAt(all, on).flatMap(({ id, madeAt, isTold }): Row[] => {
    const members = holdings.filter(
      (h) => h.scope === `Policies ${id}` && (h.from === null || h.from <= on),
    );
    if (members.some((h) => isHeldAt(h, on))) return [];
    const held = ofPolicies.filter((h) => h.subjectId === id && isHeldAt(h, on));
    const everywhere = held.filter(
      ({ right }) => right.kind === "Databases" && reachOf(right) === "every database",
    );
    return [
      {
        policy: policyName(id, all),
        permissions: isTold ? held.length : null,
        on_every_database: isTold ? everywhere.length : null,
        last_held_at: members.length === 0 ? null : stamp(Math.max(...members.map((h) => h.to!))),
        created_at: stampOf(madeAt),
        policy_id: id,
      },
    ];
  });
  return sorted(rows, "policy policy_id");
};

/** Records alone hold no snapshot: of every policy that stands there is none. */
export const permissionDrift: Oracle = (records, users, params) => {
  const all = read(records, users);
  const rows = livesAt(all, momentOf(params)).map(({ id }) => ({
    policy: policyName(id, all),
    difference: "no snapshot",
    resource_kind: null,
    operation: null,
    object: null,
    read_at: null,
    policy_id: id,
    object_id: null,
  }));
  return sorted(rows, "policy policy_id");
};
