import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import type { User } from "../../schemas/api.ts";
import { queryFile, runFile } from "../sql/statements.ts";
import { inTransaction } from "../sql/transaction.ts";
import { verdictOnUsers, type UserCounts } from "./user-verdict.ts";

const texts = [
  "email",
  "name",
  "first_name",
  "last_name",
  "phone",
  "created_at",
  "updated_at",
] as const;
const known = new Set<string>([...texts, "id", "administrator", "account_owner"]);

/** A user list and what came with it. */
export type UserReading = {
  readonly source: string;
  /** Later than that of any other list of the source. */
  readonly readAt: string;
  readonly users: readonly User[];
  /** What stands against its being whole. */
  readonly against?: readonly string[] | undefined;
};

/**
 * Judges a user list and stores what is taken of it, together with what became of it, in one transaction. Users that
 * changed get new versions. What it does follows from the lists before alone, so a rebuild does the same.
 */
export async function storeUsers(
  connection: DuckDBConnection,
  { source, readAt, users, against = [] }: UserReading,
): Promise<void> {
  await runFile(connection, "queries/load/incoming_users.sql");
  const appender = await connection.createAppender("incoming_users", "main", "temp");
  const listed = new Map(users.map((user) => [user.id, user]));
  for (const user of listed.values()) append(appender, user);
  appender.closeSync();
  await inTransaction(connection, async () => {
    const counts = await countsOf(connection, source, listed.size);
    const { verdict, ends } = verdictOnUsers(counts, against);
    const place = { source, read_at: readAt };
    if (verdict === "whole" || verdict === "loss")
      await runFile(connection, "queries/load/users.sql", { ...place, ends });
    await runFile(connection, "queries/load/directory_reading.sql", {
      ...place,
      verdict,
      listed: counts.listed,
      in_force: counts.inForce,
      against: against.length === 0 ? null : against.join(", "),
    });
  });
}

/** When each source's list was read last, as far as that is stored. */
export async function lastUserReadings(connection: DuckDBConnection): Promise<Map<string, string>> {
  const rows = await queryFile(connection, "queries/load/last_directory_readings.sql");
  return new Map(rows.map((row) => [String(row["source"]), String(row["read_at"])]));
}

async function countsOf(
  connection: DuckDBConnection,
  source: string,
  listed: number,
): Promise<UserCounts> {
  const [row] = await queryFile(connection, "queries/load/known_users.sql", { source });
  const count = (name: string): number => Number(row?.[name]);
  return {
    listed,
    inForce: count("in_force"),
    lacking: count("lacking"),
    missing: count("missing"),
    stillMissing: count("still_missing"),
  };
}

function append(appender: DuckDBAppender, user: User): void {
  appender.appendBigInt(user.id);
  for (const key of texts) appendText(appender, user[key]);
  for (const flag of [user.administrator, user.account_owner])
    if (flag === null || flag === undefined) appender.appendNull();
    else appender.appendBoolean(flag);
  const rest = Object.fromEntries(Object.entries(user).filter(([key]) => !known.has(key)));
  appendText(appender, Object.keys(rest).length > 0 ? JSON.stringify(rest) : null);
  appender.endRow();
}

function appendText(appender: DuckDBAppender, text: string | null | undefined): void {
  if (text === null || text === undefined) appender.appendNull();
  else appender.appendVarchar(text);
}
