import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { hasTable } from "../../base/sql/instance.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";
import type { EndedUsers } from "../store/user-readings.ts";
import { type Facts, factsOf, ofSource } from "../../base/sql/typed-rows.ts";

/** What somebody should know of the user directory of a source. */
export type DirectoryNotes = {
  /** That nothing of the last list was taken, and why. */
  readonly refused: string | undefined;
  /** That users whom it lacks are kept until a later one agrees; empty where there are none. */
  readonly missing: readonly string[];
};

/** The notes on the directory of one source. */
export async function directoryNotes(
  connection: DuckDBConnection,
  source: string,
): Promise<DirectoryNotes> {
  const [facts] = await stateOf(connection, source);
  return facts === undefined ? { refused: undefined, missing: [] } : notesOf(facts);
}

/** What there is to say of the directories of one source, or of all, a line each. */
export async function directoryWarnings(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<{ readonly source: string; readonly line: string }[]> {
  return (await stateOf(connection, source)).flatMap((facts) => {
    const { refused, missing } = notesOf(facts);
    const lines = refused === undefined ? missing : [refused, ...missing];
    return lines.map((line) => ({ source: String(facts["source"]), line }));
  });
}

async function stateOf(connection: DuckDBConnection, source: string | undefined): Promise<Facts[]> {
  // A copy that an earlier version published knows of no readings.
  if (!(await hasTable(connection, "directory_readings"))) return [];
  return factsOf(connection, "queries/status/directory.sql", ofSource(source));
}

function notesOf(facts: Facts): DirectoryNotes {
  return { refused: refusedText(facts), missing: missingTexts(facts) };
}

function refusedText({ source, read_at, verdict, against, in_force }: Facts): string | undefined {
  const list = `the user list of source ${String(source)}, read ${String(read_at)},`;
  const users = plural(Number(in_force), "user");
  if (verdict === "empty")
    return `${list} was not taken: it is empty, while ${users} were known, who stay; see whom the key's user may list, and sources.${String(source)}.users`;
  if (verdict === "faulty")
    return `${list} was not taken: ${String(against)} stands against its being whole; ${users} stay as known; set sources.${String(source)}.users.paging so that every page is read, or name in users.ignore_signs what means nothing`;
  if (verdict === "held_back")
    return `${list} ends nobody: ${String(against)}; they stay as known; if they have left, run ${commandText("users", "accept", "--source", String(source), "--reason", "TEXT")}; if not, set sources.${String(source)}.users.paging so that every page is read`;
  return undefined;
}

/** The warning of users whom readings ended. */
export function endedText(source: string, { users, first }: EndedUsers): string {
  const more = users > first.length ? ` and ${users - first.length} more` : "";
  return `${plural(users, "user")} of source ${source} ended: the user list does not have them any more: ${first.join(", ")}${more}`;
}

function missingTexts({ source, in_force, missing, missing_since }: Facts): string[] {
  if (Number(missing) === 0) return [];
  return [
    `${countText(Number(missing))} of ${plural(Number(in_force), "user")} of source ${String(source)} are missing on the user list since ${String(missing_since)}; they stay until a later list lacks them, too; where they are not gone, set sources.${String(source)}.users.paging`,
  ];
}
