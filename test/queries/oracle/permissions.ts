import type { Fact } from "./record.ts";

/** A right as one side of a change holds it. */
export type Right = {
  readonly kind: string;
  readonly operation: string;
  readonly objectId: string | null;
  readonly objectName: string | null;
};

/** What a value says; `isRead` is false where nothing of it is understood, `isWhole` where not all of it is. */
export type Reading = {
  readonly rights: readonly Right[];
  readonly isRead: boolean;
  readonly isWhole: boolean;
  readonly isBlank: boolean;
};

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A part of a value: its key and its content. */
type Part = { readonly key: string | null; readonly value: Json };

const accountRoles = ["administrator", "account_owner"];

/** Whether the record states permissions before and after; the name of a policy is no such statement. */
export function statesRights({ canonical, text }: Fact): boolean {
  if (canonical === "permission_policy_modify")
    return !["name", "description"].includes(text("attribute_name")?.toLowerCase() ?? "");
  return ["permission_modify", "database_permission_modify", "user_modify"].includes(
    canonical ?? "",
  );
}

/** The flags that the record of a user speaks of; of anything else, one thing without a name. */
export function listScopes(fact: Fact): (string | null)[] {
  if (fact.canonical !== "user_modify") return [null];
  const parts = [...listParts(fact, "before"), ...listParts(fact, "after")];
  const flags = parts.map(({ key }) => key ?? fact.text("attribute_name"));
  return [...new Set(flags.filter((flag) => accountRoles.includes(flag ?? "")))];
}

/** What the value before or after says, of the flag only where one is given. */
export function buildReading(fact: Fact, side: "before" | "after", flag: string | null): Reading {
  const parts = listParts(fact, side).filter(
    ({ key }) => flag === null || (key ?? fact.text("attribute_name")) === flag,
  );
  const read = parts.map((part) => rightsOfPart(fact, part));
  return {
    rights: read.flatMap((rights) => rights ?? []),
    isRead: read.length === 0 || read.some((rights) => rights !== null),
    isWhole: read.every((rights) => rights !== null),
    isBlank: read.length === 0,
  };
}

/** True for rights that amount to everything (seed 000, operation manage; an administrator). */
export function isFullAccess(right: {
  readonly kind: string | null;
  readonly operation: string | null;
}): boolean {
  return right.kind === "Databases"
    ? right.operation === "manage"
    : right.kind === "Account" && accountRoles.includes(right.operation ?? "");
}

function listParts(fact: Fact, side: "before" | "after"): Part[] {
  const value = buildValue(fact, side);
  if (value === undefined) return [];
  const members: Part[] =
    isObject(value) && Object.keys(value).length > 0
      ? Object.entries(value).map(([key, member]) => ({ key, value: member }))
      : [{ key: null, value }];
  return members.flatMap((member) =>
    Array.isArray(member.value) && member.value.length > 0
      ? member.value.map((entry) => ({ key: member.key, value: entry }))
      : [member],
  );
}

function buildValue(fact: Fact, side: "before" | "after"): Json | undefined {
  const name = side === "before" ? "old_value" : "new_value";
  const text = fact.text(name) ?? fact.text(`${name}s`);
  // A promoted user becomes an administrator, whether the record states it or not.
  if (side === "after" && !text && fact.operation === "POST /users/:id/promote")
    return { administrator: true };
  if (text === null || text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

// The rights of one part; null where it is of no known form.
function rightsOfPart(fact: Fact, { key, value: written }: Part): Right[] | null {
  const value = fact.canonical === "user_modify" ? buildFlag(written) : written;
  const isShare = fact.canonical === "database_permission_modify";
  const shared = isShare ? fact.text("resource_id") : null;
  const read = isShare ? shareRight : buildRight;
  if (value === null || (typeof value === "object" && Object.keys(value).length === 0)) return [];
  if (typeof value === "boolean") {
    const ownFlag = fact.canonical === "permission_policy_modify" ? null : "attribute_name";
    const flag = key ?? (ownFlag === null ? null : fact.text(ownFlag));
    if (flag === null) return null;
    return value ? [read(isShare ? "Databases" : "Account", flag, shared)] : [];
  }
  if (typeof value === "string")
    return isShare && key === null && /^\s*[a-z_]+\s*(,\s*[a-z_]+\s*)*$/i.test(value)
      ? value
          .split(",")
          .filter((word) => !/^\s*none\s*$/i.test(word))
          .map((word) => read("Databases", word, shared))
      : null;
  return isObject(value) ? rightsOfEntry(key ?? "Databases", value, shared, read) : null;
}

// A flag may be written as a word or a number.
function buildFlag(value: Json): Json {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const word = String(value).trim().toLowerCase();
  if (["true", "t", "1", "yes"].includes(word)) return true;
  return ["false", "f", "0", "no"].includes(word) ? false : value;
}

function rightsOfEntry(
  kind: string,
  entry: { [key: string]: Json },
  shared: string | null,
  read: typeof buildRight,
): Right[] | null {
  const { operation, ids, id, name, ...others } = entry;
  if (typeof operation !== "string" || operation.trim() === "") return null;
  if (typeof ids === "boolean" || isObject(ids)) return null;
  const listed = listIds(ids);
  // An id beside ids, and a name that is no text, bind an entry as any other member does.
  const further = {
    ...others,
    ...(listed.length > 0 && id !== undefined ? { id } : {}),
    ...(typeof name !== "string" && name !== undefined ? { name } : {}),
  };
  const single = id === undefined || id === null ? "" : String(id).trim();
  const objects = listed.length > 0 ? listed : [single === "" ? shared : single];
  const objectName = boundName(typeof name === "string" ? name : null, further);
  return objects.map((object) => ({ ...read(kind, operation, object), objectName }));
}

// What an entry is bound to beside its ids: members in any order, their lists too; an empty one is none.
function boundName(name: string | null, members: { readonly [key: string]: Json }): string | null {
  const escape = (text: string): string => text.replace(/[\\;,:]/g, String.raw`\$&`);
  const formatText = (value: Json): string =>
    typeof value === "string" ? value : JSON.stringify(value);
  const texts = Object.entries(members).flatMap(([key, value]) => {
    const items = (Array.isArray(value) ? value : [value]).filter((item) => item !== null);
    const own = items.map(formatText).filter((text) => !["", "[]", "{}"].includes(text));
    const sorted = [...new Set(own)].sort(byBytes).map(escape);
    return sorted.length === 0 ? [] : [`${escape(key)}: ${sorted.join(", ")}`];
  });
  if (texts.length === 0) return name;
  return [name ?? [], `(${texts.sort(byBytes).join("; ")})`].flat().join(" ");
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

// Two words share a database with all rights on it.
function shareRight(kind: string, operation: string, objectId: string | null): Right {
  const isAll = operation.trim().toLowerCase() === "full_access";
  return buildRight(kind, isAll ? "manage" : operation, objectId);
}

function buildRight(kind: string, operation: string, objectId: string | null): Right {
  return { kind, operation: operation.trim(), objectId, objectName: null };
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listIds(value: Json | undefined): string[] {
  if (value === null || value === undefined) return [];
  const parts = Array.isArray(value) ? value.map(String) : String(value).split(",");
  return parts.map((part) => part.replaceAll(" ", "")).filter((part) => part !== "");
}
