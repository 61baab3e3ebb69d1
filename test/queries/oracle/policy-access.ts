import { isNamed, toMoment, buildObject, read, buildStamp, type Read } from "./access-rows.ts";
import { listHoldings, listMarks, type Holding } from "./holdings.ts";
import { isHeldAt } from "./policies.ts";
import { listIntervals } from "./existence.ts";
import { buildKnown, getReach, whileThere } from "./reach.ts";
import { sort, stamp, type Cell, type Oracle, type Row } from "./rows.ts";

type Standing = {
  readonly id: string;
  readonly madeAt: number | null;
  /** Whether any record shows its rights during its existence then: it may be created again. */
  readonly isKnown: boolean;
};

/** Lists the policies that exist at a moment. */
function standingAt({ facts, policies }: Read, time: number): Standing[] {
  const marks = listMarks(facts);
  return [...policies.keys()].flatMap((id) => {
    const lives = listIntervals(facts, "permission_policy", id).filter((life) =>
      isHeldAt(life, time),
    );
    return lives.map(({ from, to, madeAt }) => {
      const isStated = marks.some(
        ({ subjectKind, subjectId, isStatement, fact }) =>
          subjectKind === "policy" &&
          subjectId === id &&
          isStatement &&
          (from === null || fact.time >= from) &&
          (to === null || fact.time <= to),
      );
      return { id, madeAt, isKnown: isStated || madeAt !== null };
    });
  });
}

/** How reports name a policy. */
export const policyName = (id: string, all: Read): Cell =>
  all.policies.get(id)?.name ?? `policy ${id}`;

/** What policies hold, on databases that are there. */
export function heldBy({ facts, databases }: Read): Holding[] {
  return listHoldings(facts)
    .filter((h) => h.subjectKind === "policy")
    .flatMap((h) => {
      const { kind, objectId } = h.right;
      return whileThere({ ...h, kind, objectId }, databases);
    });
}

/** What each policy holds; one that holds nothing is a row of its own. */
export const effectivePermissions: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = toMoment(params);
  const held = heldBy(all).filter((h) => isHeldAt(h, on));
  const holds = new Set(held.map((h) => h.subjectId));
  const empty = standingAt(all, on).filter(({ id }) => !holds.has(id));
  const rows: Row[] = [
    ...held.map(({ subjectId, right, from, to, isSure }) => ({
      policy: policyName(subjectId!, all),
      resource_kind: right.kind,
      operation: right.operation,
      object: buildObject(right, all),
      reach: right.kind === "Databases" ? getReach(right) : null,
      valid_from: buildStamp(from),
      valid_to: buildStamp(to),
      known_from: buildKnown(isSure),
      policy_id: subjectId,
      object_id: right.objectId,
    })),
    ...empty.map(({ id, isKnown }) => ({
      ...nothing,
      known_from: isKnown ? null : "not told",
      policy: policyName(id, all),
      policy_id: id,
    })),
  ];
  const wanted = params["policy"] ?? null;
  return sort(
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

/** Policies without members. */
export const unheldPolicies: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = toMoment(params);
  const holdings = listHoldings(all.facts);
  const ofPolicies = heldBy(all);
  const rows = standingAt(all, on).flatMap(({ id, madeAt, isKnown }): Row[] => {
    const members = holdings.filter(
      (h) => h.scope === `Policies ${id}` && (h.from === null || h.from <= on),
    );
    if (members.some((h) => isHeldAt(h, on))) return [];
    const held = ofPolicies.filter((h) => h.subjectId === id && isHeldAt(h, on));
    const everywhere = held.filter(
      ({ right }) => right.kind === "Databases" && getReach(right) === "every database",
    );
    return [
      {
        policy: policyName(id, all),
        permissions: isKnown ? held.length : null,
        on_every_database: isKnown ? everywhere.length : null,
        last_held_at: members.length === 0 ? null : stamp(Math.max(...members.map((h) => h.to!))),
        created_at: buildStamp(madeAt),
        policy_id: id,
      },
    ];
  });
  return sort(rows, "policy policy_id");
};

/** Records alone contain no snapshot: no policy has one. */
export const permissionDrift: Oracle = (records, users, params) => {
  const all = read(records, users);
  const rows = standingAt(all, toMoment(params)).map(({ id }) => ({
    policy: policyName(id, all),
    difference: "no snapshot",
    resource_kind: null,
    operation: null,
    object: null,
    read_at: null,
    policy_id: id,
    object_id: null,
  }));
  return sort(rows, "policy policy_id");
};

/** Records alone contain no snapshot, and the directory is read after all of them. */
export const unexplainedRight: Oracle = () => [];
