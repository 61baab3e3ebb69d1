import { listHoldings, listMarks, type Holding } from "./holdings.ts";
import { listIntervals } from "./existence.ts";
import type { Fact, User } from "./record.ts";

/** A right of a user over a span of time, and the way by which it comes. */
export type Way = {
  readonly userId: string;
  readonly way: Holding["origin"] | "policy";
  readonly policyId: string | null;
  readonly kind: string;
  readonly operation: string;
  readonly objectId: string | null;
  readonly objectName: string | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly grantedBy: string | null;
  readonly knownFrom: "log" | "log, order unknown" | "directory";
};

/** The last names and the maker that the records give to databases, policies and roles, by id. */
export type Named = ReadonlyMap<
  string,
  {
    readonly name: string | null;
    readonly makerId: string | null;
    /** When it was deleted, of one that is not there again. */
    readonly goneAt: number | null;
  }
>;

const databaseEvents = ["create", "modify", "permission_modify", "delete"].map(
  (e) => `database_${e}`,
);
const policyEvents = ["create", "modify", "delete", "attach_user", "detach_user"].map(
  (e) => `permission_policy_${e}`,
);

/** Databases by their ids. */
export function listDatabases(facts: readonly Fact[]): Named {
  return namedBy(facts, databaseEvents);
}

/** Policies by their ids. */
export function listPolicies(facts: readonly Fact[]): Named {
  return namedBy(facts, policyEvents);
}

/** Roles by their ids. */
export function listRoles(facts: readonly Fact[]): Named {
  return namedBy(facts, ["role_create", "role_delete"]);
}

function namedBy(facts: readonly Fact[], events: readonly string[]): Named {
  const own = facts.filter(
    (f) => f.outcome === "succeeded" && events.includes(f.canonical ?? "") && f.text("resource_id"),
  );
  return new Map(
    [...Map.groupBy(own, (f) => f.text("resource_id")!)].map(([id, group]) => {
      const made = group.filter((f) => f.canonical === "database_create");
      const kind = events[0]!.replace(/_create$/, "");
      const isThere = listIntervals(facts, kind, id).some(({ to }) => to === null);
      const ends = group.filter((f) => f.canonical === `${kind}_delete`).map((f) => f.time);
      return [
        id,
        {
          name: getLast(group, (f) => f.text("resource_name") || null),
          makerId: getLast(made, (f) => f.userId),
          goneAt: isThere || ends.length === 0 ? null : Math.max(...ends),
        },
      ];
    }),
  );
}

// The latest there is; of one second the greatest, numbers by size.
function getLast(facts: readonly Fact[], of: (fact: Fact) => string | null): string | null {
  const dated = facts.flatMap((f) => (of(f) === null ? [] : [{ time: f.time, text: of(f)! }]));
  const last = Math.max(...dated.map(({ time }) => time));
  const texts = dated.filter(({ time }) => time === last).map(({ text }) => text);
  return texts.sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)).at(-1) ?? null;
}

/** Everything that users can do over time: on their own, through policies, and by what the user list says. */
export function listWays(facts: readonly Fact[], users: readonly User[]): Way[] {
  const holdings = listHoldings(facts);
  const ofUsers = holdings.filter((h) => h.subjectKind === "user");
  const ofPolicies = Map.groupBy(
    holdings.filter((h) => h.subjectKind === "policy"),
    (h) => h.subjectId!,
  );
  const databases = listDatabases(facts);
  return [
    ...ofUsers.flatMap((holding) => [
      buildWay(holding),
      ...(ofPolicies.get(getPolicy(holding) ?? "") ?? []).flatMap((held) =>
        throughPolicy(holding, held),
      ),
    ]),
    ...listedFlags(facts, users),
  ].flatMap((way) => whileThere(way, databases));
}

/** A right on a database lasts as long as that; none is left where it was given later. */
export function whileThere<
  R extends Pick<Way, "kind" | "objectId"> & { from: number | null; to: number | null },
>(right: R, databases: Named): R[] {
  const goneAt =
    right.kind === "Databases" ? (databases.get(right.objectId ?? "")?.goneAt ?? null) : null;
  if (goneAt === null) return [right];
  if ((right.from ?? -Infinity) >= goneAt) return [];
  return [{ ...right, to: Math.min(right.to ?? Infinity, goneAt) }];
}

/** What reports show if the log has a right, and whether it is certain. */
export const buildKnown = (isSure: boolean): "log" | "log, order unknown" =>
  isSure ? "log" : "log, order unknown";

function getPolicy({ origin, right }: Holding): string | null {
  return origin === "member" && right.kind === "Policies" ? right.objectId : null;
}

function buildWay(holding: Holding): Way {
  const { subjectId, origin, right, from, to, grantedBy, isSure } = holding;
  const policyId = getPolicy(holding);
  return {
    userId: subjectId!,
    way: origin,
    policyId,
    ...right,
    from,
    to,
    grantedBy,
    knownFrom: buildKnown(isSure),
  };
}

// The common time of policy and membership; the later of the two granted the right.
function throughPolicy(member: Holding, held: Holding): Way[] {
  const isHeldLater = (held.from ?? -Infinity) > (member.from ?? -Infinity);
  const isMembersFirst = member.from === null && held.from === null;
  const giver = isHeldLater || isMembersFirst ? held : member;
  const to = Math.min(member.to ?? Infinity, held.to ?? Infinity);
  if ((giver.from ?? -Infinity) >= to) return [];
  return [
    {
      ...buildWay(member),
      ...held.right,
      way: "policy",
      policyId: held.subjectId,
      from: giver.from,
      to: to === Infinity ? null : to,
      grantedBy: giver.grantedBy,
      knownFrom: buildKnown(member.isSure && held.isSure),
    },
  ];
}

function listedFlags(facts: readonly Fact[], users: readonly User[]): Way[] {
  const logged = new Set(
    listMarks(facts)
      .filter((m) => m.origin === "flag" && m.isStatement)
      .map((m) => `${m.subjectId} ${m.scope}`),
  );
  return users.flatMap((user) =>
    (["administrator", "account_owner"] as const)
      .filter((flag) => user[flag] === true && !logged.has(`${user.id} ${flag}`))
      .map((flag): Way => ({
        userId: String(user.id),
        way: "flag",
        policyId: null,
        kind: "Account",
        operation: flag,
        objectId: null,
        objectName: null,
        from: null,
        to: null,
        grantedBy: null,
        knownFrom: "directory",
      })),
  );
}

/** What a right opens among databases (seed 000, What the service does). */
export function getReach({
  kind,
  operation,
  objectId,
}: Pick<Way, "kind" | "operation" | "objectId">): string | null {
  if (kind === "Account")
    return ["administrator", "account_owner"].includes(operation) ? "every database" : null;
  if (kind !== "Databases") return null;
  if (objectId !== null) return "one database";
  if (operation === "owner_manage") return "own databases";
  return operation === "manage" ? "every database" : "databases not shown";
}
