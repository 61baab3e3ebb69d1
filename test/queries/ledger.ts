import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll } from "vitest";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { migrate } from "../../pipeline/core/store/migrate.ts";
import { comparable } from "./oracle/comparable.ts";
import { dayMs, hourMs } from "./oracle/rows.ts";
import { reports, runReport } from "./run.ts";

// A ledger that a generator writes, and the reports on it.

export const start = Date.UTC(2026, 4, 4);
export const params = { since: start + 2 * dayMs + 5 * hourMs, until: start + 9 * dayMs };
const given = new Map(
  Object.entries(params).map(([name, ms]) => [name, new Date(ms).toISOString()] as const),
);
export const sources = ["east", "west"];

const literal = (value: string | number | null): string =>
  value === null ? "null" : typeof value === "number" ? String(value) : `'${value}'`;

export async function insert(
  to: DuckDBConnection,
  table: string,
  rows: readonly Readonly<Record<string, string | number | null>>[],
): Promise<void> {
  await to.run(`delete from ${table}`);
  if (rows.length === 0) return;
  const names = Object.keys(rows[0]!);
  const values = rows.map((row) => `(${names.map((name) => literal(row[name]!)).join(", ")})`);
  await to.run(`insert into ${table} (${names.join(", ")}) values ${values.join(", ")}`);
}

export const zeros = (names: string): Record<string, number> =>
  Object.fromEntries(names.split(" ").map((name) => [name, 0]));

type Ledger = {
  readonly connection: DuckDBConnection;
  /** The rows of a report, in a form to compare. */
  readonly rowsOf: (name: string) => Promise<readonly object[]>;
};

/** An empty database with all tables for the tests of one file, closed after them. */
export async function openLedger(): Promise<Ledger> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const catalog = { sql: readAsset("schemas/generated/catalog.sql"), extra: null };
  beforeAll(() => migrate(connection, async () => catalog));
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return { connection, rowsOf: (name) => readRows(connection, name) };
}

async function readRows(connection: DuckDBConnection, name: string): Promise<readonly object[]> {
  const report = reports.find((each) => each.name === name)!;
  return comparable((await runReport(connection, report, given)).rows);
}
