import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text, type TypedRow } from "../../base/sql/typed-rows.ts";

const holderShape = {
  holder: text,
  how: text,
  since: nullable(text),
  grantedBy: nullable(text),
  lastSeen: nullable(text),
};

/** A person with full access: how, since when and from whom; null where the log does not reach. */
export type Holder = TypedRow<typeof holderShape>;

export async function readHolders(
  connection: DuckDBConnection,
  source: string | undefined,
  on: string,
): Promise<Holder[]> {
  const path = "queries/pages/access.sql#holders";
  return queryRows(connection, path, holderShape, { on, source: source ?? null });
}

const databaseShape = { databaseName: text, people: count, managers: count, readers: count };

/** A database with how many people reach it by a permission that names it. */
export type ReachedDatabase = TypedRow<typeof databaseShape>;

/** Reads how many people reach each database at a moment, the most first. */
export async function readDatabases(
  connection: DuckDBConnection,
  source: string | undefined,
  on: string,
): Promise<ReachedDatabase[]> {
  const path = "queries/pages/access.sql#databases";
  return queryRows(connection, path, databaseShape, { on, source: source ?? null });
}

const snapshotsShape = { policies: count, seen: count };

/** Reads how many policies exist, and how many of them a snapshot has shown. */
export async function readSnapshots(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<TypedRow<typeof snapshotsShape>> {
  const path = "queries/pages/access.sql#snapshots";
  const [row] = await queryRows(connection, path, snapshotsShape, { source: source ?? null });
  return row!;
}
