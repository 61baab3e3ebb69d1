import type { DuckDBConnection } from "@duckdb/node-api";
import { hasTable } from "../../base/sql/instance.ts";
import { type Notice, warning } from "../../base/notice/notice.ts";
import type { EndedUsers } from "../store/user-readings.ts";
import { type Facts, queryFacts, bindSource } from "../../base/sql/facts.ts";

export type DirectoryNotes = {
  /** That nothing of the last list was taken, and why. */
  readonly refused: Notice | undefined;
  /** Warnings about missing users, who stay active until a later list agrees. */
  readonly missing: readonly Notice[];
};

export async function readDirectoryNotes(
  connection: DuckDBConnection,
  source: string,
): Promise<DirectoryNotes> {
  const [facts] = await readState(connection, source);
  return facts === undefined ? { refused: undefined, missing: [] } : buildNotes(facts);
}

export async function listDirectoryWarnings(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<{ readonly source: string; readonly notice: Notice }[]> {
  return (await readState(connection, source)).flatMap((facts) => {
    const { refused, missing } = buildNotes(facts);
    const notices = refused === undefined ? missing : [refused, ...missing];
    return notices.map((notice) => ({ source: String(facts["source"]), notice }));
  });
}

async function readState(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Facts[]> {
  // A copy that an earlier version published knows of no readings.
  if (!(await hasTable(connection, "directory_readings"))) return [];
  return queryFacts(connection, "queries/status/directory.sql", bindSource(source));
}

function buildNotes(facts: Facts): DirectoryNotes {
  return { refused: buildRefusedNotice(facts), missing: listMissingNotices(facts) };
}

function buildRefusedNotice(facts: Facts): Notice | undefined {
  const { verdict } = facts;
  const source = String(facts["source"]);
  const list = { source, read_at: String(facts["read_at"]), users: Number(facts["in_force"]) };
  const against = String(facts["against"]);
  if (verdict === "empty") return warning("users_empty", list);
  if (verdict === "faulty") return warning("users_faulty", { ...list, against });
  if (verdict !== "held_back") return undefined;
  const accept = ["users", "accept", "--source", source, "--reason", "TEXT"];
  return warning("users_held_back", { ...list, against }, accept);
}

export function endedNotice(source: string, { users, first }: EndedUsers): Notice {
  return warning("users_ended", { source, users, first });
}

function listMissingNotices(facts: Facts): Notice[] {
  const missing = Number(facts["missing"]);
  if (missing === 0) return [];
  const source = String(facts["source"]);
  const since = String(facts["missing_since"]);
  return [warning("users_missing", { source, users: Number(facts["in_force"]), missing, since })];
}
