import { listDatabases, listPolicies, getReach, listRoles, type Named, type Way } from "./reach.ts";
import { listFacts, getName, type Fact, type RawRecord, type User } from "./record.ts";
import { hourMs, stamp, type Cell, type Params, type Row } from "./rows.ts";

/** The records as read, with the names they give. */
export type Read = {
  readonly facts: readonly Fact[];
  readonly users: readonly User[];
  readonly databases: Named;
  readonly policies: Named;
};

/** Reads the records of a report on access. */
export function read(records: readonly RawRecord[], users: readonly User[]): Read {
  const facts = listFacts(records, users);
  return { facts, users, databases: listDatabases(facts), policies: listPolicies(facts) };
}

/** A moment as text; null stays. */
export const buildStamp = (time: number | null): Cell => (time === null ? null : stamp(time));
/** The moment that a report asks for. */
export const toMoment = ({ on }: Params): number => Number(on);

/** The name of what a right is on, else its id. */
export function buildObject(
  way: Pick<Way, "kind" | "objectId" | "objectName">,
  { facts, databases, policies }: Read,
): Cell {
  const { kind, objectId, objectName } = way;
  const known: Readonly<Record<string, Named>> = {
    Databases: databases,
    Policies: policies,
    Roles: listRoles(facts),
  };
  const own = known[kind]?.get(objectId ?? "")?.name ?? objectId;
  return objectName?.startsWith("(")
    ? [own ?? [], objectName].flat().join(" ")
    : (objectName ?? own);
}

function policyText(id: string | null, { policies }: Read): Cell {
  return id === null ? null : (policies.get(id)?.name ?? id);
}

/** The columns about whose right it is and how it comes. */
export function holder(way: Way, all: Read): Row {
  const user = all.users.find(({ id }) => String(id) === way.userId);
  return {
    holder: getName(user?.email ?? null, way.userId),
    is_listed: user !== undefined,
    user_id: way.userId,
    way: way.way,
    policy: policyText(way.policyId, all),
    policy_id: way.policyId,
    operation: way.operation,
    reach: getReach(way),
    valid_from: buildStamp(way.from),
    valid_to: buildStamp(way.to),
    known_from: way.knownFrom,
  };
}

/** Lists the rights in force at the moment, or within the hours after it. */
export function overlapping(ways: readonly Way[], params: Params): Way[] {
  const on = toMoment(params);
  const end = on + Number(params["hours"] ?? 0) * hourMs;
  return ways.filter(
    ({ from, to }) => (from === null || from <= on || from < end) && (to === null || to > on),
  );
}

/** Whether a name or id is the one asked for, in any case; without one asked for, all are. */
export const isNamed = (wanted: Cell, ...names: Cell[]): boolean =>
  wanted === null ||
  names.some((name) => String(name).toLowerCase() === String(wanted).toLowerCase());
