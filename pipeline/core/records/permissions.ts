import {
  takesIdList,
  databaseOperations,
  type Entry,
  type PermissionSet,
} from "../../../schemas/policies.ts";
import { writeCompactJson, readDigits, parseKeepingNumbers } from "./canonical.ts";

/** One permission of a set: an operation on one object, or on all of its kind where no object is named. */
export type Grant = {
  /** Key of the set that contains it, such as `Databases`. */
  readonly kind: string;
  readonly operation: string | null;
  readonly objectId: string | null;
  readonly objectName: string | null;
  /** Further members of the entry, as compact JSON. */
  readonly details: string | null;
};

/** A set from its JSON, which was checked when it came in; numbers keep every digit. */
export function parseSet(text: string): PermissionSet {
  return parseKeepingNumbers(text) as PermissionSet;
}

/**
 * Removes members that are not permissions (seed 000, Permission set of a policy, rule 1): single values beside the
 * arrays, such as the moment of the last change, and empty ids if the operation takes none.
 */
export function selectPermissions(set: PermissionSet): PermissionSet {
  const kinds = Object.entries(set).filter(([, value]) => !isSingle(value));
  return Object.fromEntries(
    kinds.map(([kind, value]) => [
      kind,
      kind === "Databases" && Array.isArray(value) ? value.map(withoutEmptyIds) : value,
    ]),
  );
}

function isSingle(value: unknown): boolean {
  return typeof value !== "object" || value === null || readDigits(value) !== undefined;
}

function withoutEmptyIds(entry: unknown): unknown {
  if (isSingle(entry) || Array.isArray(entry)) return entry;
  const { ids, ...rest } = entry as Entry;
  const isEmpty = ids === null || ids === "";
  return isEmpty && known.includes(rest.operation) && !takesIdList(rest.operation) ? rest : entry;
}

const known: readonly unknown[] = databaseOperations;

/**
 * Lists each permission of a set once, in a fixed order. Entries of an unknown form become permissions that only have
 * details.
 */
export function listGrants(set: PermissionSet): Grant[] {
  const all = Object.entries(selectPermissions(set)).flatMap(([kind, value]) =>
    Array.isArray(value)
      ? value.flatMap((entry) => listEntryGrants(kind, entry))
      : [newBareGrant(kind, writeCompactJson(value))],
  );
  const unique = new Map(all.map((grant) => [buildKey(grant), grant]));
  return [...unique.values()].sort(compareGrants);
}

/** What one set holds and the other does not, regardless of the order of entries and ids. */
export type Comparison = {
  readonly added: readonly Grant[];
  readonly removed: readonly Grant[];
  readonly kept: readonly Grant[];
};

export function compareSets(before: PermissionSet, after: PermissionSet): Comparison {
  const [old, now] = [listGrants(before), listGrants(after)];
  const oldKeys = new Set(old.map(buildKey));
  const nowKeys = new Set(now.map(buildKey));
  return {
    added: now.filter((grant) => !oldKeys.has(buildKey(grant))),
    removed: old.filter((grant) => !nowKeys.has(buildKey(grant))),
    kept: now.filter((grant) => oldKeys.has(buildKey(grant))),
  };
}

export function isSameSet(before: PermissionSet, after: PermissionSet): boolean {
  const { added, removed } = compareSets(before, after);
  return added.length + removed.length === 0;
}

/**
 * Lists the ids of an entry in their usual forms: text with commas, a number, an array of both; undefined for other
 * values.
 */
export function listEntryIds(value: unknown): string[] | undefined {
  if (Array.isArray(value)) {
    const parts = value.map(listEntryIds);
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part!);
  }
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "string") {
    const digits = readDigits(value);
    return digits === undefined ? undefined : [digits];
  }
  return value
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

function listEntryGrants(kind: string, entry: unknown): Grant[] {
  if (typeof entry !== "object" || entry === null || readDigits(entry) !== undefined)
    return [newBareGrant(kind, writeCompactJson(entry))];
  const { operation, name, ...rest } = entry as Record<string, unknown>;
  const idKey = ["ids", "id"].find((key) => (listEntryIds(rest[key]) ?? []).length > 0);
  const ids = idKey === undefined ? [null] : listEntryIds(rest[idKey])!;
  const others: Record<string, unknown> = { ...rest };
  if (idKey !== undefined) delete others[idKey];
  if (operation !== undefined && typeof operation !== "string") others["operation"] = operation;
  if (name !== undefined && typeof name !== "string") others["name"] = name;
  const common = {
    kind,
    operation: typeof operation === "string" ? operation : null,
    objectName: typeof name === "string" ? name : null,
    details: Object.keys(others).length === 0 ? null : writeCompactJson(others),
  };
  return ids.map((objectId) => ({ ...common, objectId }));
}

function newBareGrant(kind: string, details: string): Grant {
  return { kind, operation: null, objectId: null, objectName: null, details };
}

function buildKey({ kind, operation, objectId, objectName, details }: Grant): string {
  return JSON.stringify([kind, operation, objectId, objectName, details]);
}

// Databases first, as the documentation has it; shorter ids first, which orders numbers by size.
function compareGrants(a: Grant, b: Grant): number {
  const [x, y] = [rankGrant(a), rankGrant(b)];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at < 0 ? 0 : x[at]! < y[at]! ? -1 : 1;
}

function rankGrant(grant: Grant): (number | string)[] {
  const { kind, operation, objectId } = grant;
  return [
    Number(kind !== "Databases"),
    kind,
    operation ?? "",
    objectId?.length ?? 0,
    objectId ?? "",
    buildKey(grant),
  ];
}
