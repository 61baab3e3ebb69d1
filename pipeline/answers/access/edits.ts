import { commandText } from "../../base/command-line.ts";
import { databaseOperations, sendableSet } from "../../../schemas/policies.ts";
import type { Entry, PermissionSet } from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import { idsOf } from "../../core/records/permissions.ts";

/** A permission to grant or revoke on databases; without ids, the operation as a whole. */
export type Edit = { readonly operation: string; readonly ids: readonly string[] | undefined };

export type Edits = { readonly grant: readonly Edit[]; readonly revoke: readonly Edit[] };

/** Reads `query:1,2` or `manage`; throws UsageError naming what is wrong with it. */
export function parseEdit(text: string, flag: string): Edit {
  const [operation = "", ids] = text.split(/:(.*)/s, 2);
  const entry = { operation, ...(ids === undefined ? {} : { ids }) };
  const result = sendableSet.safeParse({ Databases: [entry] });
  if (!result.success)
    throw new UsageError(
      `${flag} ${JSON.stringify(text)}: ${result.error.issues[0]!.message}; expected an operation, or one with ids such as query:101,102`,
    );
  const all = ids?.split(",");
  const other = all?.find((id) => !/^\d+$/.test(id));
  if (other !== undefined)
    throw new UsageError(
      `${flag} ${JSON.stringify(text)}: ${JSON.stringify(other)} is no id of a database; ${commandText("access", "who", other)} says which one has that name`,
    );
  return { operation, ids: all };
}

/** The set with the edits made and everything else as it was; throws UsageError where an edit has no plain meaning. */
export function applyEdits(set: PermissionSet, { grant, revoke }: Edits): PermissionSet {
  refuseBoth(grant, revoke);
  let entries = (set["Databases"] ?? []) as readonly Entry[];
  for (const edit of revoke) entries = revoked(entries, edit);
  for (const edit of grant) entries = granted(entries, edit);
  return { ...set, Databases: entries };
}

function refuseBoth(grant: readonly Edit[], revoke: readonly Edit[]): void {
  const texts = (edits: readonly Edit[]): string[] =>
    edits.flatMap(({ operation, ids }) => (ids ?? [""]).map((id) => `${operation}:${id}`));
  const both = texts(grant).find((text) => texts(revoke).includes(text));
  if (both !== undefined)
    throw new UsageError(
      `${both.replace(/:$/, "")} is both granted and revoked; name it under one of the two`,
    );
}

function granted(entries: readonly Entry[], { operation, ids }: Edit): readonly Entry[] {
  const same = entries.filter((entry) => entry.operation === operation);
  const held = same.flatMap((entry) => listOf(entry) ?? []);
  const hasWhole = same.some((entry) => listOf(entry) === undefined);
  if (same.length === 0)
    return [...entries, ids === undefined ? { operation } : { operation, ids: ids.join(",") }];
  if (ids === undefined) {
    if (hasWhole) return entries;
    throw noPlainMeaning(`--grant ${operation}`, `${operation} on named databases`);
  }
  if (hasWhole) throw noPlainMeaning(`--grant ${operation}:…`, `${operation} without ids`);
  const missing = ids.filter((id) => !held.includes(id));
  if (missing.length === 0) return entries;
  const first = same[0]!;
  return entries.map((entry) =>
    entry === first ? withIds(entry, [...listOf(entry)!, ...missing]) : entry,
  );
}

function revoked(entries: readonly Entry[], { operation, ids }: Edit): readonly Entry[] {
  const same = entries.filter((entry) => entry.operation === operation);
  if (same.length === 0 && !databaseOperations.some((known) => known === operation))
    throw new UsageError(
      `--revoke ${operation}: no such operation; expected one of ${databaseOperations.join(", ")}`,
    );
  if (ids === undefined) return entries.filter((entry) => entry.operation !== operation);
  if (same.some((entry) => listOf(entry) === undefined))
    throw noPlainMeaning(`--revoke ${operation}:…`, `${operation} without ids`);
  return entries.flatMap((entry) => {
    if (entry.operation !== operation) return [entry];
    const rest = listOf(entry)!.filter((id) => !ids.includes(id));
    return rest.length === 0
      ? []
      : rest.length === listOf(entry)!.length
        ? [entry]
        : [withIds(entry, rest)];
  });
}

function listOf(entry: Entry): string[] | undefined {
  return idsOf(entry.ids ?? entry["id"]);
}

function withIds({ id: _id, ...entry }: Entry, ids: readonly string[]): Entry {
  return { ...entry, operation: entry.operation, ids: ids.join(",") };
}

function noPlainMeaning(flag: string, holds: string): UsageError {
  return new UsageError(
    `${flag}: the policy holds ${holds}, so what that would change is not shown; state the whole set with --file`,
  );
}
