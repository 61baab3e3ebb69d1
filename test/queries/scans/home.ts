import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { readAsset } from "../../../pipeline/assets.ts";
import { bind, statementOf } from "../../../pipeline/report/bind.ts";
import type { Report } from "../../../pipeline/report/find.ts";
import { type Given, questionOf } from "../../../pipeline/report/params.ts";
import { foldAll } from "../../../pipeline/warehouse/derived.ts";
import { migrate } from "../../../pipeline/warehouse/migrate.ts";
import { withNeeded } from "../run.ts";
import { runFile } from "../../../pipeline/warehouse/statements.ts";

/** The database writes rows in groups, and skips those that a range leaves out; here in small ones. */
export const rowsInGroup = 2048;

/** A database with a long history and nothing of a home around it. */
export async function longHistory(path: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  await connection.run(`attach '${path}' as long (row_group_size ${rowsInGroup})`);
  await connection.run("use long");
  const sql = readAsset("schemas/generated/catalog.sql");
  await migrate(connection, () => Promise.resolve({ sql, extra: null }));
  await runFile(connection, "test/queries/scans/events.sql");
  await connection.run("begin");
  await foldAll(connection);
  await runFile(connection, "test/queries/scans/texts.sql");
  await connection.run("commit");
  await connection.run("checkpoint");
  return connection;
}

type Node = {
  readonly operator_type?: string;
  readonly operator_rows_scanned?: number;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
};

/** How many rows a report reads of each table; of a table that is read several times, the most at once. */
export async function scannedRows(
  connection: DuckDBConnection,
  report: Report,
  given: Given,
): Promise<Map<string, number>> {
  const { sql, values } = statementOf(questionOf(report, withNeeded(report, given), 0));
  const prepared = await connection.prepare(`explain (analyze, format json) ${sql}`);
  bind(prepared, values);
  const reader = await prepared.runAndReadAll();
  const found = new Map<string, number>();
  collect(JSON.parse(String(reader.getRows()[0]![1])) as Node, found);
  return found;
}

function collect(node: Node, found: Map<string, number>): void {
  const table = node.extra_info?.["Table"];
  if (typeof table === "string") {
    const name = table.split(".").at(-1)!;
    found.set(name, Math.max(found.get(name) ?? 0, node.operator_rows_scanned ?? 0));
  }
  for (const child of node.children ?? []) collect(child, found);
}
