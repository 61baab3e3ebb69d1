import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import type { User } from "../../schemas/api.ts";
import { runFile } from "./statements.ts";

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
const staging =
  "create or replace temp table incoming_users (user_id bigint, email varchar, name varchar, first_name varchar, last_name varchar, phone varchar, created_at varchar, updated_at varchar, administrator boolean, account_owner boolean, extra varchar)";

/** Stores a directory just read as new versions of the users that changed; one transaction. */
export async function storeUsers(
  connection: DuckDBConnection,
  source: string,
  users: readonly User[],
  seenAt: string,
): Promise<void> {
  await connection.run(staging);
  const appender = await connection.createAppender("incoming_users", "main", "temp");
  for (const user of new Map(users.map((u) => [u.id, u])).values()) append(appender, user);
  appender.closeSync();
  await connection.run("begin");
  try {
    await runFile(connection, "queries/load/users.sql", { source, seen_at: seenAt });
    await connection.run("commit");
  } catch (error) {
    await connection.run("rollback");
    throw error;
  }
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
