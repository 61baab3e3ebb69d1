import { DuckDBInstance } from "@duckdb/node-api";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Reads a lake as the specification of Delta tables says, without a line of what wrote it.

type Line = {
  readonly add?: { readonly path: string; readonly partitionValues: Record<string, string> };
  readonly remove?: { readonly path: string };
};

/** The version of each table that `lake.json` names. */
export function versionsOf(root: string): Record<string, number> {
  const path = join(root, "lake.json");
  if (!existsSync(path)) return {};
  const { tables } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly tables: Record<string, { readonly version: number }>;
  };
  return Object.fromEntries(Object.entries(tables).map(([name, { version }]) => [name, version]));
}

/** The files of a table at a version. */
export function filesOf(root: string, table: string, version: number): string[] {
  const live = new Set<string>();
  for (let v = 0; v <= version; v++) {
    const name = `${String(v).padStart(20, "0")}.json`;
    const text = readFileSync(join(root, table, "_delta_log", name), "utf8");
    for (const line of text.trim().split("\n")) {
      const { add, remove } = JSON.parse(line) as Line;
      if (remove) live.delete(remove.path);
      if (add) live.add(add.path);
    }
  }
  return [...live].sort();
}

/** What a query gives on the files of a table at the version of the newest night, as `t`; undefined without a night. */
export async function askLake(
  root: string,
  table: string,
  columns: string,
): Promise<string[] | undefined> {
  const version = versionsOf(root)[table];
  if (version === undefined) return undefined;
  const files = filesOf(root, table, version).map((path) => `'${join(root, table, path)}'`);
  if (files.length === 0) return [];
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const sql = `select ${columns} as row from read_parquet([${files.join(", ")}], hive_partitioning = false, union_by_name = true) as t order by 1`;
  const rows = (await connection.runAndReadAll(sql)).getRowsJson().map(([row]) => String(row));
  connection.closeSync();
  instance.closeSync();
  return rows;
}
