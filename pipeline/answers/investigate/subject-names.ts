import type { DuckDBConnection } from "@duckdb/node-api";
import { queryFile, type Values } from "../../base/sql/statements.ts";
import type { Name, SubjectKind } from "./subject.ts";

/** A half-open range, milliseconds since the epoch. */
export type Range = { readonly sinceMs: number; readonly untilMs: number };

/** What the subjects of a kind go by: users and addresses of all time, resources and jobs of the range. */
export async function namesOf(
  connection: DuckDBConnection,
  kind: SubjectKind,
  { sinceMs, untilMs }: Range,
): Promise<Name[]> {
  if (kind === "user") return userNames(connection);
  const file = { address: "addresses", resource: "resources", job: "jobs" }[kind];
  const range: Values = { since_ms: BigInt(sinceMs), until_ms: BigInt(untilMs) };
  const rows = await queryFile(
    connection,
    `queries/investigate/${file}.sql`,
    kind === "address" ? {} : range,
  );
  return rows.map(({ name }) => ({ name: String(name), of: String(name), isWhole: false }));
}

/**
 * When a job of this id or name began, milliseconds since the epoch; of one that was never issued, when it was first
 * refused or exported. Undefined where the log has neither.
 */
export async function jobBegan(
  connection: DuckDBConnection,
  job: string,
): Promise<number | undefined> {
  // All events are looked through only where the folded jobs do not have it.
  for (const file of ["job", "job_events"]) {
    const [row] = await queryFile(connection, `queries/investigate/${file}.sql`, { job });
    const value = row?.["first_ms"] ?? null;
    if (value !== null) return Number(value);
  }
  return undefined;
}

// Whoever has an id goes by it, whatever else they are called; the rest by their e-mail.
async function userNames(connection: DuckDBConnection): Promise<Name[]> {
  const rows = await queryFile(connection, "queries/investigate/users.sql");
  return rows.map((row) => ({
    name: String(row["name"]),
    of: String(row["user_id"] ?? row["name"]),
    isWhole: row["kind"] === "id",
  }));
}
