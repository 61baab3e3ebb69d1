import { toMoment, buildObject, read, buildStamp, type Read } from "./access-rows.ts";
import { listHoldings, type Holding } from "./holdings.ts";
import type { Right } from "./permissions.ts";
import { isHeldAt, membersAt } from "./policies.ts";
import { heldBy, policyName } from "./policy-access.ts";
import { getReach, listWays, type Way } from "./reach.ts";
import { getName } from "./record.ts";
import { distinct, sort, type Oracle, type Row } from "./rows.ts";
import { isUseOf, usesIn } from "./uses.ts";

// Rights that are not needed: another one gives the same, no one used them, their holders left, or their objects were
// deleted.

const getEmail = (id: string | null, { users }: Read): string | null =>
  users.find((user) => String(user.id) === id)?.email ?? null;

const isEverything = (way: Way): boolean =>
  getReach(way) === "every database" &&
  ["manage", "administrator", "account_owner"].includes(way.operation);

// A right that may not be in force covers nothing.
const isSure = ({ knownFrom }: Way): boolean => knownFrom !== "log, order unknown";

// Rights that are on no single object are compared by name, and so are the values of further members.
const isByName = ({ objectId, objectName }: Pick<Right, "objectId" | "objectName">): boolean =>
  objectId === null || /\(.+: .+\)$/.test(objectName ?? "");

/** Rights that another one covers. */
export const redundantRights: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = toMoment(params);
  const place = (way: Way): string => `${way.way} ${way.policyId}`;
  const bareName = (way: Way): string | null => (isByName(way) ? way.objectName : null);
  const getRight = (way: Way): string =>
    JSON.stringify([way.userId, place(way), way.kind, way.operation, way.objectId, bareName(way)]);
  // Of two that are the same the one stays that is sure, else that has a name.
  const rank = (way: Way): number => 2 * Number(isSure(way)) + Number(way.objectName !== null);
  const found = listWays(all.facts, users)
    .filter((way) => getReach(way) !== null && isHeldAt(way, on))
    .toSorted((a, b) => rank(a) - rank(b));
  // Two shares of one database to one user are one way.
  const held = [...new Map(found.map((way) => [getRight(way), way])).values()];
  const listWords = ({ operation, policyId, way }: Way): string => {
    const policy = policyId === null ? null : (all.policies.get(policyId)?.name ?? policyId);
    return `${operation} by ${policy === null ? way : `policy ${policy}`}`;
  };
  const smallest = (texts: readonly string[]): string | undefined =>
    texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0];
  const ofUsers = held
    .filter(({ kind }) => kind === "Databases")
    .flatMap((own): Row[] => {
      const others = held.filter((other) => other.userId === own.userId && other !== own);
      const greater = others.filter(
        (other) =>
          isEverything(other) &&
          isSure(other) &&
          other.operation !== own.operation &&
          (other.policyId === null || other.policyId !== own.policyId),
      );
      const same = others.filter(
        (other) =>
          other.kind === own.kind &&
          other.operation === own.operation &&
          other.objectId === own.objectId &&
          bareName(other) === bareName(own) &&
          place(other) !== place(own),
      );
      const covered = smallest(greater.map(listWords)) ?? sameWords(own, same, listWords);
      if (covered === undefined) return [];
      return [
        {
          holder: getName(getEmail(own.userId, all), own.userId),
          operation: own.operation,
          database_name: buildObject(own, all),
          way: own.way,
          policy:
            own.policyId === null ? null : (all.policies.get(own.policyId)?.name ?? own.policyId),
          covered_by: covered,
          ways: same.length + 1,
          reach: getReach(own),
          holder_kind: "user",
          user_id: own.userId,
          policy_id: own.policyId,
          database_id: own.objectId,
        },
      ];
    });
  return sort(
    [...ofUsers, ...besideManage(all, on)],
    "holder_kind holder operation database_name way policy covered_by ways reach user_id policy_id database_id",
  );
};

// The first of them by name, but not the own one.
function sameWords(
  own: Way,
  same: readonly Way[],
  wordsOf: (way: Way) => string,
): string | undefined {
  if (!same.some(isSure)) return undefined;
  const texts = [own, ...same]
    .filter(isSure)
    .map(wordsOf)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return wordsOf(own) === texts[0] ? texts.at(-1) : texts[0];
}

function besideManage(all: Read, on: number): Row[] {
  const held = heldBy(all).filter((h) => h.right.kind === "Databases" && isHeldAt(h, on));
  const managing = new Set(
    held
      .filter(({ right, isSure: isKnown }) => isKnown && getReach(right) === "every database")
      .map((h) => h.subjectId),
  );
  const getRight = ({ subjectId, right: { operation, objectId, objectName } }: Holding): string =>
    JSON.stringify([
      subjectId,
      operation,
      objectId,
      isByName({ objectId, objectName }) ? objectName : null,
    ]);
  const named = held.toSorted(
    (a, b) => Number(a.right.objectName !== null) - Number(b.right.objectName !== null),
  );
  return [...new Map(named.map((h) => [getRight(h), h])).values()]
    .filter((h) => managing.has(h.subjectId) && getReach(h.right) !== "every database")
    .map(({ subjectId, right }) => ({
      holder: policyName(subjectId!, all),
      operation: right.operation,
      database_name: buildObject(right, all),
      way: "set",
      policy: all.policies.get(subjectId!)?.name ?? subjectId,
      covered_by: "manage in the same set",
      ways: 1,
      reach: getReach(right),
      holder_kind: "policy",
      user_id: null,
      policy_id: subjectId,
      database_id: right.objectId,
    }));
}

/** Rights of users who are not in the user list. */
export const departedRights: Oracle = (records, users, params) => {
  const all = read(records, users);
  const listed = new Set(users.map(({ id }) => String(id)));
  const rows = listHoldings(all.facts)
    .filter((h) => h.subjectKind === "user" && isHeldAt(h, toMoment(params)))
    .filter((h) => !listed.has(h.subjectId!) && !isGone(h, all, toMoment(params)))
    .map((h) => ({
      holder: `user ${h.subjectId}`,
      way: h.origin,
      resource_kind: h.right.kind,
      operation: h.right.operation,
      object: h.right.kind === "Roles" ? h.right.objectId : buildObject(h.right, all),
      held_since: buildStamp(h.from),
      granted_by: h.grantedBy,
      left_at: null,
      subject_id: h.subjectId,
      object_id: h.right.objectId,
    }));
  return sort(
    rows,
    "holder way resource_kind operation object held_since granted_by left_at subject_id object_id",
  );
};

function isGone({ right }: Holding, { databases }: Read, on: number): boolean {
  if (right.kind !== "Databases") return false;
  const goneAt = databases.get(right.objectId ?? "")?.goneAt ?? null;
  return goneAt !== null && goneAt <= on;
}

/** Rights on databases that were deleted. */
export const rightsOnGoneDatabases: Oracle = (records, users, params) => {
  const all = read(records, users);
  const on = toMoment(params);
  const rows = listHoldings(all.facts)
    .filter((h) => isHeldAt(h, on) && isGone(h, all, on))
    .map((h) => goneRow(h, all));
  return sort(
    rows,
    "holder operation database_name deleted_at held_since granted_by evidence way holder_kind subject_id database_id",
  );
};

function goneRow(h: Holding, all: Read): Row {
  const isPolicy = h.subjectKind === "policy";
  return {
    holder: isPolicy
      ? policyName(h.subjectId!, all)
      : getName(getEmail(h.subjectId, all), h.subjectId),
    operation: h.right.operation,
    database_name: buildObject({ ...h.right, objectName: null }, all),
    deleted_at: buildStamp(all.databases.get(h.right.objectId!)!.goneAt),
    held_since: buildStamp(h.from),
    granted_by: h.grantedBy,
    evidence: h.isSure && h.grantedBy !== null ? "logged" : "inferred",
    way: h.origin,
    holder_kind: h.subjectKind,
    subject_id: h.subjectId,
    database_id: h.right.objectId,
  };
}

/** Rights of policies that no member used. */
export const unusedRights: Oracle = (records, users, params) => {
  const all = read(records, users);
  const { until } = params;
  const uses = usesIn(all, params).filter(({ userId }) => userId !== null);
  const rows = heldBy(all)
    .filter((h) => h.right.kind === "Databases" && isHeldAt(h, until))
    .flatMap((h): Row[] => {
      const members = membersAt(all.facts, h.subjectId, until);
      const own = uses.filter(({ userId }) => members.includes(userId!));
      if (own.some((use) => isUseOf(use, h.right, all))) return [];
      return [
        {
          policy: policyName(h.subjectId!, all),
          operation: h.right.operation,
          reach: getReach(h.right),
          database_name: buildObject(h.right, all),
          members: distinct(members),
          held_since: buildStamp(h.from),
          granted_by: h.grantedBy,
          policy_id: h.subjectId,
          database_id: h.right.objectId,
        },
      ];
    });
  return sort(
    rows,
    "policy operation reach database_name members held_since granted_by policy_id database_id",
  );
};
