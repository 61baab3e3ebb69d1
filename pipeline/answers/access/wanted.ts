import { z } from "zod";
import { isObject } from "../../../schemas/object.ts";
import {
  documentedSet,
  sendableSet,
  type Entry,
  type PermissionSet,
} from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import { jsonAsWritten } from "../../core/records/canonical.ts";
import { idsOf, parseSet, permissionsOf } from "../../core/records/permissions.ts";
import { repeatedKey } from "../../base/home/repeated-key.ts";

const ownFlag = "--allow-undocumented sends it all the same";

/** How what the reference does not show may be sent all the same, for verbs that have no flag for it. */
export const flagOfSet = "policy set --file sends it under --allow-undocumented";

/**
 * The permission set in a file. Throws UsageError where it is none that may be sent (seed 000, Permission set of a
 * policy, rules 1 to 3). `wayOut` says how one goes out all the same.
 */
export function readSetFile(
  file: string,
  allowUndocumented: boolean,
  wayOut = ownFlag,
): PermissionSet {
  const text = readText(file);
  checkSet(parse(text, file), file, allowUndocumented, wayOut);
  return withIdsAsText(permissionsOf(parseSet(text)));
}

// A single id may stand bare in a file; it is sent as text, which is the type that the field has.
function withIdsAsText(set: PermissionSet): PermissionSet {
  const entries = set["Databases"] as readonly Entry[];
  return { ...set, Databases: entries.map(textual) };
}

function textual(entry: Entry): Entry {
  const isBare = entry.ids !== undefined && typeof entry.ids !== "string";
  return isBare ? { ...entry, ids: idsOf(entry.ids)!.join(",") } : entry;
}

/** The same check for a set that is in memory already; `what` names it in the error. */
export function checkWanted(
  set: PermissionSet,
  what: string,
  allowUndocumented: boolean,
  wayOut = ownFlag,
): void {
  checkSet(JSON.parse(jsonAsWritten(set)), what, allowUndocumented, wayOut);
}

/** What of a set in memory the reference does not show, in words; undefined where it shows all of it. */
export function notShownIn(set: PermissionSet): string | undefined {
  const result = documentedSet.safeParse(JSON.parse(jsonAsWritten(set)));
  return result.success ? undefined : issueText(result.error);
}

function readText(file: string): string {
  const bytes = readGiven(file, "the permission set");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`the permission set ${file} is no UTF-8 text`);
  }
}

function parse(text: string, file: string): unknown {
  const value = parsed(text, file);
  const twice = repeatedKey(text);
  if (twice !== undefined)
    throw new UsageError(
      `${file} names ${JSON.stringify(twice)} twice in one object; which of the two is meant is not known, so leave one of them`,
    );
  return value;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no JSON; expected {"Databases":[{"operation":…,"ids":…}]}`);
  }
}

function checkSet(read: unknown, what: string, allowUndocumented: boolean, wayOut: string): void {
  const value = isObject(read) ? permissionsOf({ ...read }) : read;
  const form = sendableSet.safeParse(value);
  if (!form.success) throw new UsageError(`${what}: ${issueText(form.error)}`);
  const shown = allowUndocumented ? form : documentedSet.safeParse(value);
  if (!shown.success)
    throw new UsageError(
      `${what}: ${issueText(shown.error)}; what the service makes of it is not known, ${wayOut}`,
    );
}

function issueText({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const place = path.length > 1 ? `${z.core.toDotPath(path.slice(0, 2))}: ` : "";
  return `${place}${message}${more}`;
}
