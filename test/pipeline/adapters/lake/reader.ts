import { DuckDBInstance } from "@duckdb/node-api";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

// Reads a lake as the specification of Delta tables says, without a line of what wrote it.

type Added = {
  readonly path: string;
  readonly partitionValues: Record<string, string>;
  readonly size: number;
  readonly dataChange: boolean;
};

type Line = {
  readonly add?: Added;
  readonly remove?: { readonly path: string };
};

/** The version of each table that `lake.json` names. */
export function readVersions(root: string): Record<string, number> {
  const path = join(root, "lake.json");
  if (!existsSync(path)) return {};
  const { tables } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly tables: Record<string, { readonly version: number }>;
  };
  return Object.fromEntries(Object.entries(tables).map(([name, { version }]) => [name, version]));
}

/** The versions of a table that have checkpoints, oldest first. */
export function readCheckpoints(root: string, table: string): number[] {
  const names = readdirSync(join(root, table, "_delta_log"));
  const found = names.map((name) => /^(\d{20})\.checkpoint\.parquet$/.exec(name)?.[1]);
  return found
    .flatMap((digits) => (digits === undefined ? [] : Number(digits)))
    .sort((a, b) => a - b);
}

/** The version of the checkpoint that readers of a table are pointed to; undefined without one. */
export function readHint(root: string, table: string): number | undefined {
  const path = join(root, table, "_delta_log", "_last_checkpoint");
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly version: number }).version;
}

/** Deletes what the specification allows: entries of a log before a checkpoint, its newest. Returns the number. */
export function forgetBeforeCheckpoint(
  root: string,
  table: string,
  last = readCheckpoints(root, table).at(-1) ?? 0,
): number {
  const log = join(root, table, "_delta_log");
  const names = readdirSync(log).filter((name) => /^\d{20}\.json$/.test(name));
  const old = names.filter((name) => Number(name.slice(0, 20)) < last);
  for (const name of old) rmSync(join(log, name));
  return old.length;
}

/** What a checkpoint says in one column of the files of its table, or of those that were taken out. */
export async function writeCheckpoint(
  root: string,
  table: string,
  version: number,
  column: string,
): Promise<string[]> {
  const name = `${String(version).padStart(20, "0")}.checkpoint.parquet`;
  const path = join(root, table, "_delta_log", name);
  return queryRows(`select ${column} as row from read_parquet('${path}') where row is not null`);
}

/** The files of a table at a version, from its newest checkpoint and the entries after that. */
export async function filesAfterCheckpoint(
  root: string,
  table: string,
  version: number,
): Promise<string[]> {
  const base = readCheckpoints(root, table).findLast((each) => each <= version);
  if (base === undefined) return readFiles(root, table, version);
  const live = await writeCheckpoint(root, table, base, "add.path");
  return readFiles(root, table, version, base + 1, live);
}

/**
 * The files of a table at a version, by the entries of its log alone; those of a later version start from `live`
 * ones.
 */
export function readFiles(
  root: string,
  table: string,
  version: number,
  from = 0,
  held: readonly string[] = [],
): string[] {
  const live = new Set(held);
  for (let v = from; v <= version; v++) {
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

/** What the entries of a table's log have added, from a version on. */
export function readAdds(root: string, table: string, from = 0): Added[] {
  const log = join(root, table, "_delta_log");
  const names = readdirSync(log)
    .filter((name) => /^\d{20}\.json$/.test(name))
    .sort();
  return names
    .slice(from)
    .flatMap((name) => readFileSync(join(log, name), "utf8").trim().split("\n"))
    .flatMap((line) => (JSON.parse(line) as Line).add ?? []);
}

/** Each version of a table that can be read, from the first entry on or from a checkpoint, with its files. */
export async function readableVersions(
  root: string,
  table: string,
): Promise<Map<number, readonly string[]>> {
  const log = join(root, table, "_delta_log");
  const found = new Map<number, readonly string[]>();
  if (!existsSync(log)) return found;
  const entries = new Set(readdirSync(log).filter((name) => /^\d{20}\.json$/.test(name)));
  const isThere = (version: number): boolean =>
    entries.has(`${String(version).padStart(20, "0")}.json`);
  for (const base of [-1, ...readCheckpoints(root, table)]) {
    let files = base < 0 ? [] : await writeCheckpoint(root, table, base, "add.path");
    if (base >= 0) found.set(base, files);
    for (let version = base + 1; isThere(version) && !found.has(version); version++) {
      files = readFiles(root, table, version, version, files);
      found.set(version, files);
    }
  }
  return found;
}

/**
 * The result of a query on the files of a table at the version of the newest publication, as `t`; undefined without a
 * publication.
 */
export async function askLake(
  root: string,
  table: string,
  columns: string,
): Promise<string[] | undefined> {
  const version = readVersions(root)[table];
  if (version === undefined) return undefined;
  const paths = await filesAfterCheckpoint(root, table, version);
  const files = paths.map((path) => `'${join(root, table, path)}'`);
  if (files.length === 0) return [];
  return queryRows(
    `select ${columns} as row from read_parquet([${files.join(", ")}], hive_partitioning = false, union_by_name = true) as t order by 1`,
  );
}

async function queryRows(sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowsJson().map(([row]) => String(row));
  connection.closeSync();
  instance.closeSync();
  return rows;
}
