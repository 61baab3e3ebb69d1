import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { readAsset } from "../../../pipeline/base/home/assets.ts";
import { bindValues, type Statement } from "../../../pipeline/base/sql/bind.ts";
import { foldAll } from "../../../pipeline/core/store/derived.ts";
import { migrate } from "../../../pipeline/core/store/migrate.ts";
import { runFile } from "../../../pipeline/base/sql/statements.ts";

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
  await foldAll(connection);
  await runFile(connection, "test/queries/scans/texts.sql");
  await connection.run("checkpoint");
  return connection;
}

type Node = {
  readonly operator_type?: string;
  readonly operator_rows_scanned?: number;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
};

/** How many rows a statement reads of each table; of a table that is read several times, the most at once. */
export async function scannedRows(
  connection: DuckDBConnection,
  statement: Statement,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { table, rows } of await readScans(connection, statement))
    found.set(table, Math.max(found.get(table) ?? 0, rows));
  return found;
}

export type Scan = { readonly table: string; readonly rows: number; readonly filters: string };

/** Each reading of a table, with what the table itself leaves out. */
export async function readScans(
  connection: DuckDBConnection,
  { sql, values }: Statement,
): Promise<Scan[]> {
  const prepared = await connection.prepare(`explain (analyze, format json) ${sql}`);
  bindValues(prepared, values);
  const reader = await prepared.runAndReadAll();
  return scansIn(JSON.parse(String(reader.getRows()[0]![1])) as Node);
}

function scansIn({ extra_info: info = {}, ...node }: Node): Scan[] {
  const table = info["Table"];
  const own =
    typeof table === "string"
      ? [
          {
            table: table.split(".").at(-1)!,
            rows: node.operator_rows_scanned ?? 0,
            filters: [info["Filters"] ?? []].flat().join(" and "),
          },
        ]
      : [];
  return [...own, ...(node.children ?? []).flatMap(scansIn)];
}
