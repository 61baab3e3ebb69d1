import { z } from "zod";
import { isObject } from "../../../schemas/object.ts";
import {
  databaseOperations,
  documentedSet,
  type Entry,
  type PermissionSet,
  sendableSet,
} from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import { writeJson } from "../../core/records/canonical.ts";
import { listEntryIds, parseSet, selectPermissions } from "../../core/records/permissions.ts";
import { findRepeatedKey } from "../../base/home/json-files.ts";
import { formatCommand } from "../../base/command-line.ts";

const ownFlag = "--allow-undocumented sends it anyway";

/** How what the reference does not show may be sent all the same, for verbs that have no flag for it. */
export const flagOfSet = "policy set --file sends it under --allow-undocumented";

/**
 * Reads the permission set in a file. Throws UsageError for a set that may not be sent (seed 000, Permission set of a
 * policy, rules 1 to 3). `wayOut` says how to send it anyway.
 */
export function readSetFile(
  file: string,
  allowUndocumented: boolean,
  wayOut = ownFlag,
): PermissionSet {
  const text = readText(file);
  checkSet(parsePermissionSet(text, file), file, allowUndocumented, wayOut);
  return withIdsAsText(selectPermissions(parseSet(text)));
}

// A single id may be written bare in a file; it is sent as text, which is the type of the field.
function withIdsAsText(set: PermissionSet): PermissionSet {
  const entries = set["Databases"] as readonly Entry[];
  return { ...set, Databases: entries.map(toText) };
}

function toText(entry: Entry): Entry {
  const isBare = entry.ids !== undefined && typeof entry.ids !== "string";
  return isBare ? { ...entry, ids: listEntryIds(entry.ids)!.join(",") } : entry;
}

/** The same check for a set that is in memory already; `what` names it in the error. */
export function checkWanted(
  set: PermissionSet,
  what: string,
  allowUndocumented: boolean,
  wayOut = ownFlag,
): void {
  checkSet(JSON.parse(writeJson(set)), what, allowUndocumented, wayOut);
}

/** What of a set in memory the reference does not show, in words; undefined where it shows all of it. */
export function describeNotShown(set: PermissionSet): string | undefined {
  const result = documentedSet.safeParse(JSON.parse(writeJson(set)));
  return result.success ? undefined : formatIssues(result.error);
}

function readText(file: string): string {
  const bytes = readGiven(file, "the permission set");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`the permission set ${file} is not UTF-8 text`);
  }
}

function parsePermissionSet(text: string, file: string): unknown {
  const value = parseJsonFile(text, file);
  const twice = findRepeatedKey(text);
  if (twice !== undefined)
    throw new UsageError(
      `${file} has ${JSON.stringify(twice)} twice in one object; remove one of them`,
    );
  return value;
}

function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON; expected {"Databases":[{"operation":…,"ids":…}]}`);
  }
}

function checkSet(read: unknown, what: string, allowUndocumented: boolean, wayOut: string): void {
  const value = isObject(read) ? selectPermissions({ ...read }) : read;
  const form = sendableSet.safeParse(value);
  if (!form.success) throw new UsageError(`${what}: ${formatIssues(form.error)}`);
  const shown = allowUndocumented ? form : documentedSet.safeParse(value);
  if (!shown.success)
    throw new UsageError(
      `${what}: ${formatIssues(shown.error)}; the service's reaction is unknown, ${wayOut}`,
    );
}

function formatIssues({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const place = path.length > 1 ? `${z.core.toDotPath(path.slice(0, 2))}: ` : "";
  return `${place}${message}${more}`;
}

/** A permission to grant or revoke on databases; without ids, the operation as a whole. */
export type Edit = { readonly operation: string; readonly ids: readonly string[] | undefined };

type Edits = { readonly grant: readonly Edit[]; readonly revoke: readonly Edit[] };

/** Reads `query:1,2` or `manage`; throws UsageError with the fault. */
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
      `${flag} ${JSON.stringify(text)}: ${JSON.stringify(other)} is not a database id; ${formatCommand("access", "who", other)} shows the id of that name`,
    );
  return { operation, ids: all };
}

/** The set with the edits made and everything else as it was; throws UsageError where an edit has no plain meaning. */
export function applyEdits(set: PermissionSet, { grant, revoke }: Edits): PermissionSet {
  refuseBoth(grant, revoke);
  let entries = (set["Databases"] ?? []) as readonly Entry[];
  for (const edit of revoke) entries = revokeEdit(entries, edit);
  for (const edit of grant) entries = grantEdit(entries, edit);
  return { ...set, Databases: entries };
}

function refuseBoth(grant: readonly Edit[], revoke: readonly Edit[]): void {
  const listTexts = (edits: readonly Edit[]): string[] =>
    edits.flatMap(({ operation, ids }) => ids?.map((id) => `${operation}:${id}`) ?? [operation]);
  const both = listTexts(grant).find((text) => listTexts(revoke).includes(text));
  if (both !== undefined)
    throw new UsageError(`${both} is both granted and revoked; name it under one of the two`);
}

function grantEdit(entries: readonly Entry[], { operation, ids }: Edit): readonly Entry[] {
  const same = entries.filter((entry) => entry.operation === operation);
  const held = same.flatMap((entry) => listIds(entry) ?? []);
  const hasWhole = same.some((entry) => listIds(entry) === undefined);
  if (same.length === 0)
    return [...entries, ids === undefined ? { operation } : { operation, ids: ids.join(",") }];
  if (ids === undefined) {
    if (hasWhole) return entries;
    throw newUnclearFlagError(`--grant ${operation}`, `${operation} on named databases`);
  }
  if (hasWhole) throw newUnclearFlagError(`--grant ${operation}:…`, `${operation} without ids`);
  const missing = ids.filter((id) => !held.includes(id));
  if (missing.length === 0) return entries;
  const first = same[0]!;
  return entries.map((entry) =>
    entry === first ? withIds(entry, [...listIds(entry)!, ...missing]) : entry,
  );
}

function revokeEdit(entries: readonly Entry[], { operation, ids }: Edit): readonly Entry[] {
  const same = entries.filter((entry) => entry.operation === operation);
  if (same.length === 0 && !databaseOperations.some((known) => known === operation))
    throw new UsageError(
      `--revoke ${operation}: no such operation; expected one of ${databaseOperations.join(", ")}`,
    );
  if (ids === undefined) return entries.filter((entry) => entry.operation !== operation);
  if (same.some((entry) => listIds(entry) === undefined))
    throw newUnclearFlagError(`--revoke ${operation}:…`, `${operation} without ids`);
  return entries.flatMap((entry) => {
    if (entry.operation !== operation) return [entry];
    const rest = listIds(entry)!.filter((id) => !ids.includes(id));
    return rest.length === 0
      ? []
      : rest.length === listIds(entry)!.length
        ? [entry]
        : [withIds(entry, rest)];
  });
}

function listIds(entry: Entry): string[] | undefined {
  return listEntryIds(entry.ids ?? entry["id"]);
}

function withIds({ id: _id, ...entry }: Entry, ids: readonly string[]): Entry {
  return { ...entry, operation: entry.operation, ids: ids.join(",") };
}

function newUnclearFlagError(flag: string, holds: string): UsageError {
  return new UsageError(
    `${flag}: the policy has ${holds}, so the effect of this change is unknown; give the complete set with --file`,
  );
}
