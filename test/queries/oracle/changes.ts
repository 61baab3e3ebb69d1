import { listHoldings, listMarks, type Holding, type Mark } from "./holdings.ts";
import type { Right } from "./permissions.ts";
import type { Fact, User } from "./record.ts";

/** One right given or taken, a policy made or deleted, or a change that cannot be read, and to whom. */
export type Change = {
  readonly fact: Fact;
  readonly subjectKind: "policy" | "user";
  readonly subjectId: string | null;
  readonly subjectName: string | null;
  readonly origin: "set" | "share" | "flag" | "member" | "policy";
  readonly change: "granted" | "revoked" | "created" | "deleted" | "unparsed";
  readonly kind: string | null;
  readonly operation: string | null;
  readonly objectId: string | null;
  readonly objectName: string | null;
};

/** Everything that the records say about rights, from the difference of the two values of each change. */
export function listChanges(facts: readonly Fact[], users: readonly User[]): Change[] {
  const emails = new Map(users.map((user) => [String(user.id), user.email]));
  const getEmail = (id: string | null): string | null => emails.get(id ?? "") ?? null;
  const marks = listMarks(facts);
  return [
    ...marks.flatMap((mark) => move(mark, getEmail)),
    ...unparsed(marks, getEmail),
    ...listHoldings(facts).flatMap((holding) => end(holding, getEmail)),
    ...facts.flatMap(policyChanges),
  ];
}

type EmailOf = (id: string | null) => string | null;

function move(mark: Mark, emailOf: EmailOf): Change[] {
  const { before, after, fact } = mark;
  if (before === undefined) return [];
  const only = (these: readonly Right[], those: readonly Right[]): Right[] => {
    const others = new Set(those.map((right) => JSON.stringify(right)));
    const unique = new Map(these.map((right) => [JSON.stringify(right), right]));
    return [...unique].filter(([text]) => !others.has(text)).map(([, right]) => right);
  };
  const common = { ...buildSubject(mark, fact, emailOf), fact, origin: mark.origin };
  return [
    ...only(after, before).map((r) => ({
      ...common,
      change: "granted" as const,
      ...findNamed(r, mark),
    })),
    ...only(before, after).map((r) => ({
      ...common,
      change: "revoked" as const,
      ...findNamed(r, mark),
    })),
  ];
}

// An unreadable record is one row, for any number of flags in it.
function unparsed(marks: readonly Mark[], emailOf: EmailOf): Change[] {
  const firsts = new Map(marks.filter((m) => m.isUnparsed).map((m) => [m.fact, m]));
  return [...firsts.values()].map((mark) => ({
    ...buildSubject(mark, mark.fact, emailOf),
    fact: mark.fact,
    origin: mark.origin,
    change: "unparsed",
    kind: null,
    operation: null,
    objectId: null,
    objectName: null,
  }));
}

function end(holding: Holding, emailOf: EmailOf): Change[] {
  return holding.endedWith.map((fact) => ({
    ...buildSubject(holding, fact, emailOf),
    fact,
    origin: holding.origin,
    change: "revoked",
    ...findNamed(holding.right, { fact, origin: holding.origin }),
  }));
}

function policyChanges(fact: Fact): Change[] {
  const isMade = fact.canonical === "permission_policy_create";
  if (fact.outcome !== "succeeded") return [];
  if (!isMade && fact.canonical !== "permission_policy_delete") return [];
  return [
    {
      fact,
      subjectKind: "policy",
      subjectId: fact.text("resource_id"),
      subjectName: fact.text("resource_name"),
      origin: "policy",
      change: isMade ? "created" : "deleted",
      kind: "Policies",
      operation: null,
      objectId: fact.text("resource_id"),
      objectName: fact.text("resource_name"),
    },
  ];
}

function findNamed(right: Right, { fact, origin }: Pick<Mark, "fact" | "origin">): Right {
  const isOwn = origin === "share" || origin === "member";
  const isNamed = isOwn && right.objectId !== null && right.objectId === fact.text("resource_id");
  const own = isNamed ? fact.text("resource_name") : null;
  if (right.objectName?.startsWith("(")) {
    const object = (origin === "share" ? own : null) ?? right.objectId ?? [];
    return { ...right, objectName: [object, right.objectName].flat().join(" ") };
  }
  return { ...right, objectName: right.objectName ?? own };
}

function buildSubject(
  { subjectKind, subjectId }: Pick<Mark, "subjectKind" | "subjectId">,
  fact: Fact,
  emailOf: EmailOf,
): Pick<Change, "subjectKind" | "subjectId" | "subjectName"> {
  const email = emailOf(subjectId);
  if (subjectKind === "policy")
    return { subjectKind, subjectId, subjectName: fact.text("resource_name") };
  const subjectName = ["user_modify", "user_delete"].includes(fact.canonical ?? "")
    ? (email ?? fact.text("resource_name"))
    : (fact.text("affected_user") ?? email);
  return { subjectKind, subjectId, subjectName };
}
