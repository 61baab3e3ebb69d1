import { buildReading, listScopes, statesRights, type Right } from "./permissions.ts";
import type { Fact } from "./record.ts";
import { listVerdicts, type Say, type KnownVerdict } from "./seconds.ts";

/** Whose right it is, and what it comes from. */
export type Series = {
  readonly subjectKind: "policy" | "user";
  readonly subjectId: string | null;
  readonly origin: "set" | "share" | "flag" | "member";
  /** The database of a share, the name of a flag, the policy or role of a member. */
  readonly scope: string;
};

/** What one record says of a series: what was held before it and after it, undefined where that cannot be read. */
export type Mark = Series & {
  readonly fact: Fact;
  readonly before: readonly Right[] | undefined;
  readonly after: readonly Right[];
  /** False where the record says nothing that holds. */
  readonly isStatement: boolean;
  readonly isUnparsed: boolean;
};

/** A right from one moment to another, milliseconds since the epoch; null is before and after all records. */
export type Holding = Series & {
  readonly right: Right;
  readonly from: number | null;
  readonly to: number | null;
  readonly grantedBy: string | null;
  /** Whether it is certain that it was in force, regardless of the order within a second. */
  readonly isSure: boolean;
  /** The deletions that ended it, where nothing else did. */
  readonly endedWith: readonly Fact[];
};

const memberEvents: Readonly<Record<string, readonly [kind: string, joins: boolean]>> = {
  permission_policy_attach_user: ["Policies", true],
  permission_policy_detach_user: ["Policies", false],
  role_create: ["Roles", true],
  role_delete: ["Roles", false],
};

/** Everything that the records say of rights, record by record. */
export function listMarks(facts: readonly Fact[]): Mark[] {
  return facts
    .filter((fact) => fact.outcome === "succeeded")
    .flatMap((fact) => [...editMarks(fact), ...memberMarks(fact)]);
}

function editMarks(fact: Fact): Mark[] {
  if (!statesRights(fact)) return [];
  return listScopes(fact).flatMap((flag): Mark[] => {
    const [old, now] = [buildReading(fact, "before", flag), buildReading(fact, "after", flag)];
    if (old.isBlank && now.isBlank) return [];
    return [
      {
        ...buildSubject(fact, flag),
        fact,
        before: old.isRead ? old.rights : undefined,
        // A change that cannot be read leaves what it found.
        after: now.isRead ? now.rights : old.rights,
        isStatement: now.isRead || (old.isRead && !old.isBlank),
        isUnparsed: !old.isWhole || !now.isWhole,
      },
    ];
  });
}

function buildSubject({ canonical, text }: Fact, flag: string | null): Series {
  if (canonical === "permission_policy_modify")
    return { subjectKind: "policy", subjectId: text("resource_id"), origin: "set", scope: "" };
  if (canonical === "user_modify")
    return { subjectKind: "user", subjectId: text("resource_id"), origin: "flag", scope: flag! };
  const subjectId = text("affected_user_id");
  if (canonical === "permission_modify")
    return { subjectKind: "user", subjectId, origin: "set", scope: "" };
  return { subjectKind: "user", subjectId, origin: "share", scope: text("resource_id") ?? "" };
}

function memberMarks(fact: Fact): Mark[] {
  const [kind, joins] = memberEvents[fact.canonical ?? ""] ?? [];
  if (kind === undefined) return [];
  const objectId = fact.text("resource_id");
  const right = { kind, operation: "member", objectId, objectName: null };
  return [
    {
      fact,
      subjectKind: "user",
      subjectId: fact.text("affected_user_id"),
      origin: "member",
      scope: `${kind} ${objectId ?? ""}`,
      before: joins ? [] : [right],
      after: joins ? [right] : [],
      isStatement: objectId !== null,
      isUnparsed: false,
    },
  ];
}

const known = new WeakMap<readonly Fact[], readonly Holding[]>();

/** Lists which rights were in force from when to when. */
export function listHoldings(facts: readonly Fact[]): readonly Holding[] {
  const read = known.get(facts);
  if (read) return read;
  const marks = listMarks(facts).filter((mark) => mark.isStatement && mark.subjectId);
  const series = Map.groupBy(marks, seriesKey);
  const placeOf = listPlaces(facts);
  const holdings = [...series.values()].flatMap((own) => holdingsOfSeries(own, facts, placeOf));
  known.set(facts, holdings);
  return holdings;
}

const seriesKey = ({ subjectKind, subjectId, origin, scope }: Series): string =>
  JSON.stringify([subjectKind, subjectId, origin, scope]);
const rightKey = ({ kind, operation, objectId, objectName }: Right): string =>
  JSON.stringify([kind, operation, objectId, objectName]);

type Second = { readonly time: number; readonly marks: readonly Mark[]; readonly ends: Fact[] };

function holdingsOfSeries(
  marks: readonly Mark[],
  facts: readonly Fact[],
  placeOf: ((fact: Fact) => number) | undefined,
): Holding[] {
  const { makings, ends } = listLimits(marks, facts);
  const times = [...marks.map((m) => m.fact), ...ends].map((fact) => fact.time);
  const seconds = [...new Set(times)]
    .sort((a, b) => a - b)
    .map((time): Second => ({
      time,
      marks: marks.filter((m) => m.fact.time === time),
      ends: ends.filter((fact) => fact.time === time),
    }));
  const made = makings.map((fact) => fact.time).filter((time) => time <= seconds[0]!.time);
  const madeAt = made.length === 0 ? null : Math.max(...made);
  const rights = new Map(
    marks.flatMap((m) => [...(m.before ?? []), ...m.after]).map((r) => [rightKey(r), r]),
  );
  return [...rights.values()].flatMap((right) =>
    holdingsOfRight(marks[0]!, right, seconds, madeAt, placeOf),
  );
}

// A policy holds nothing before it is created and after it is deleted, a user nothing after being deleted. A policy whose
// id is created again starts with nothing, also where the log does not show the deletion between.
function listLimits(
  marks: readonly Mark[],
  facts: readonly Fact[],
): { makings: Fact[]; ends: Fact[] } {
  const { subjectKind, subjectId, scope, origin } = marks[0]!;
  const isMemberOfPolicy = origin === "member" && scope.startsWith("Policies ");
  const policyOfMember = isMemberOfPolicy ? scope.slice("Policies ".length) : null;
  const policy = subjectKind === "policy" ? subjectId : policyOfMember;
  const user = subjectKind === "user" ? subjectId : null;
  const of = (name: string, id: string | null): Fact[] =>
    facts.filter(
      (f) =>
        f.canonical === name &&
        f.outcome === "succeeded" &&
        id !== null &&
        f.text("resource_id") === id,
    );
  const makings = of("permission_policy_create", policy);
  const times = marks.map(({ fact }) => fact.time);
  const again = makings.filter(
    ({ time }) => subjectKind === "policy" && time > Math.min(...times) && !times.includes(time),
  );
  return {
    makings,
    ends: [...of("permission_policy_delete", policy), ...again, ...of("user_delete", user)],
  };
}

function holdingsOfRight(
  { subjectKind, subjectId, origin, scope }: Mark,
  right: Right,
  seconds: readonly Second[],
  madeAt: number | null,
  placeOf: ((fact: Fact) => number) | undefined,
): Holding[] {
  const key = rightKey(right);
  const has = (rights: readonly Right[] | undefined): boolean =>
    (rights ?? []).some((r) => rightKey(r) === key);
  const verdicts = listVerdicts(
    seconds.map(({ marks, ends }) => ({
      says: marks.map((m) => buildMessage(m, has)),
      isEnd: ends.length > 0,
    })),
    {
      isRepeatable: origin === "member" || origin === "flag",
      isNewHolder: origin === "member" && madeAt !== null,
      isMadeInFirst: madeAt === seconds[0]!.time,
      placeOf,
    },
  );
  // Certain rights and possible rights are two, also if one follows the other.
  const starts = verdicts.flatMap((t, i) => (isSameHolding(verdicts[i - 1], t) ? [] : [i]));
  return starts
    .filter((i) => verdicts[i]!.verdict !== "free")
    .map((start) => {
      const end = starts.find((i) => i > start) ?? -1;
      const opening = seconds[start - 1];
      const closing = end === -1 ? undefined : seconds[end - 1];
      const grants = (opening?.marks ?? []).filter(
        (m) => m.before !== undefined && !has(m.before) && has(m.after),
      );
      const revokes = (closing?.marks ?? []).filter((m) => has(m.before) && !has(m.after));
      return {
        subjectKind,
        subjectId,
        origin,
        scope,
        right,
        from: opening?.time ?? madeAt,
        to: closing?.time ?? null,
        grantedBy: smallest(grants.map((m) => m.fact.actor)),
        isSure: verdicts[start]!.isSure,
        endedWith: revokes.length === 0 ? buildEnding(closing?.ends ?? []) : [],
      };
    });
}

function buildMessage(mark: Mark, has: (rights: readonly Right[] | undefined) => boolean): Say {
  const { fact, before, after } = mark;
  const found = before && has(before);
  return { fact, found, left: has(after), before: setText(before ?? []), after: setText(after) };
}

const setText = (rights: readonly Right[]): string =>
  [...new Set(rights.map(rightKey))].sort().join();

function isSameHolding(one: KnownVerdict | undefined, other: KnownVerdict): boolean {
  if (one === undefined) return false;
  const [a, b] = [one.verdict !== "free", other.verdict !== "free"];
  return a === b && (!a || one.isSure === other.isSure);
}

// Where a policy and a user go in one second, it ends with the policy.
function buildEnding(ends: Fact[]): Fact[] {
  const ofPolicy = ends.filter((fact) => fact.canonical === "permission_policy_delete");
  return ofPolicy.length > 0 ? ofPolicy : ends;
}

// The place of each record, where the times of all run one way.
function listPlaces(facts: readonly Fact[]): ((fact: Fact) => number) | undefined {
  const steps = facts.slice(1).map((fact, i) => Math.sign(fact.time - facts[i]!.time));
  const ways = new Set(steps.filter((step) => step !== 0));
  if (ways.size !== 1) return undefined;
  const [way] = ways;
  const places = new Map(facts.map((fact, i) => [fact, i * way!]));
  return (fact) => places.get(fact)!;
}

function smallest(texts: readonly string[]): string | null {
  return texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0] ?? null;
}
