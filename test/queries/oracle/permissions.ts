import type { Fact, User } from "./record.ts";

/** A right as one side of a change holds it. */
export type Right = {
  readonly kind: string;
  readonly operation: string;
  readonly objectId: string | null;
  readonly objectName: string | null;
};

/** One right given or taken, or a policy made or deleted, and to whom. */
export type Change = {
  readonly fact: Fact;
  readonly subjectKind: "policy" | "user";
  readonly subjectId: string | null;
  readonly subjectName: string | null;
  readonly change: "granted" | "revoked" | "created" | "deleted";
  readonly kind: string | null;
  readonly operation: string | null;
  readonly objectId: string | null;
  readonly objectName: string | null;
};

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const setEvents = [
  "permission_policy_modify",
  "permission_modify",
  "database_permission_modify",
  "user_modify",
];
const accountRoles = ["administrator", "account_owner"];

/** Everything that the records say about rights, from the difference of the two values of each change. */
export function changesOf(facts: readonly Fact[], users: readonly User[]): Change[] {
  return facts
    .filter((f) => f.outcome === "succeeded")
    .flatMap((fact) => changesOfOne(fact, users));
}

/** The rights that stand in the value before or after a change; what is no set of rights holds none. */
export function rightsOf(fact: Fact, side: "before" | "after"): Right[] {
  if (!setEvents.includes(fact.canonical ?? "")) return [];
  const value = valueOf(fact, side);
  const members: [string | null, Json][] =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [[null, value]];
  const rights = members.flatMap(([key, member]) =>
    (Array.isArray(member) ? member : [member]).flatMap((entry) => rightsOfEntry(fact, key, entry)),
  );
  return fact.canonical === "user_modify"
    ? rights.filter((r) => r.kind === "Account" && accountRoles.includes(r.operation))
    : rights;
}

/** True for rights that amount to everything (seed 000, operation manage; an administrator). */
export function isFullAccess({ kind, operation }: Pick<Change, "kind" | "operation">): boolean {
  return kind === "Databases"
    ? operation === "manage"
    : kind === "Account" && accountRoles.includes(operation ?? "");
}

function valueOf(fact: Fact, side: "before" | "after"): Json {
  const name = side === "before" ? "old_value" : "new_value";
  const text = fact.text(name) ?? fact.text(`${name}s`);
  // Whoever is promoted becomes an administrator, whether the record says so or not.
  if (side === "after" && !text && fact.operation === "POST /users/:id/promote")
    return { administrator: true };
  if (text === null || text.trim() === "") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function rightsOfEntry(fact: Fact, key: string | null, entry: Json): Right[] {
  const isShare = fact.canonical === "database_permission_modify";
  const shared = isShare ? fact.text("resource_id") : null;
  const right = (
    kind: string,
    operation: string,
    objectId: string | null,
    name?: string | null,
  ): Right => ({
    kind,
    operation: operation.trim(),
    objectId,
    objectName:
      name ?? (objectId !== null && objectId === shared ? fact.text("resource_name") : null),
  });
  if (entry === true) {
    const flag =
      key ?? (fact.canonical === "permission_policy_modify" ? null : fact.text("attribute_name"));
    return flag ? [right(isShare ? "Databases" : "Account", flag, shared)] : [];
  }
  if (typeof entry === "string" && isShare && key === null)
    return entry
      .split(",")
      .filter((word) => word.trim() !== "")
      .map((word) => right("Databases", word, shared));
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [];
  const { operation, ids, id, name } = entry;
  if (typeof operation !== "string" || operation.trim() === "") return [];
  const given = idsOf(ids ?? id ?? null);
  return (given.length === 0 ? [shared] : given).map((objectId) =>
    right(key ?? "Databases", operation, objectId, typeof name === "string" ? name : null),
  );
}

function idsOf(value: Json): string[] {
  if (value === null) return [];
  const parts = Array.isArray(value) ? value.map(String) : String(value).split(",");
  return parts.map((part) => part.replaceAll(" ", "")).filter((part) => part !== "");
}

function changesOfOne(fact: Fact, users: readonly User[]): Change[] {
  const policy = {
    subjectKind: "policy" as const,
    subjectId: fact.text("resource_id"),
    subjectName: fact.text("resource_name"),
  };
  const object = { objectId: fact.text("resource_id"), objectName: fact.text("resource_name") };
  const name = fact.canonical ?? "";
  switch (name) {
    case "permission_policy_create":
    case "permission_policy_delete": {
      const change = name === "permission_policy_create" ? "created" : "deleted";
      return [{ fact, ...policy, change, kind: "Policies", operation: null, ...object }];
    }
    case "permission_policy_attach_user":
    case "permission_policy_detach_user":
    case "role_create":
    case "role_delete": {
      const change = /attach|create/.test(name) && !name.includes("detach") ? "granted" : "revoked";
      const kind = name.startsWith("role") ? "Roles" : "Policies";
      return [{ fact, ...userOf(fact, users), change, kind, operation: "member", ...object }];
    }
    case "permission_policy_modify":
      return setChanges(fact, policy);
    default:
      return setEvents.includes(name) ? setChanges(fact, userOf(fact, users)) : [];
  }
}

type Subject = Pick<Change, "subjectKind" | "subjectId" | "subjectName">;

function setChanges(fact: Fact, subject: Subject): Change[] {
  const [before, after] = [byKey(rightsOf(fact, "before")), byKey(rightsOf(fact, "after"))];
  const only = (these: Map<string, Right>, those: Map<string, Right>): Right[] =>
    [...these].filter(([key]) => !those.has(key)).map(([, right]) => right);
  return [
    ...only(after, before).map((right) => ({
      fact,
      ...subject,
      change: "granted" as const,
      ...right,
    })),
    ...only(before, after).map((right) => ({
      fact,
      ...subject,
      change: "revoked" as const,
      ...right,
    })),
  ];
}

function byKey(rights: readonly Right[]): Map<string, Right> {
  return new Map(
    rights.map((r) => [JSON.stringify([r.kind, r.operation, r.objectId, r.objectName]), r]),
  );
}

function userOf(fact: Fact, users: readonly User[]): Subject {
  const isUserEvent = fact.canonical === "user_modify";
  const id = fact.text(isUserEvent ? "resource_id" : "affected_user_id");
  const email = users.find((user) => String(user.id) === id)?.email ?? null;
  const name = isUserEvent
    ? (email ?? fact.text("resource_name"))
    : (fact.text("affected_user") ?? email);
  return { subjectKind: "user", subjectId: id, subjectName: name };
}
