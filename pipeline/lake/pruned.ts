import type { DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AuditlakeError } from "../errors.ts";
import { quotedName, quotedText } from "../../schemas/quoted.ts";
import { queryFile } from "../sql/statements.ts";
import type { AddFile } from "./log.ts";
import type { Relation } from "./relation.ts";
import type { Store } from "./store.ts";
import type { LakeTable } from "./tables.ts";
import { makeFolders } from "../home/folders.ts";

/** Whether what the lake holds of a table and a day stays there, whatever the database has of it. */
export type IsKept = (table: LakeTable, day: string) => boolean;

/**
 * What stays in the lake although the database no longer has it. A prune took it, or it was there when the database was
 * put back from an older copy (`restoredBefore`, a day). Tables that are kept whole stay where their rows have keys.
 */
export async function keptInLake(
  connection: DuckDBConnection,
  restoredBefore: string | undefined,
): Promise<IsKept> {
  const [row] = await queryFile(connection, "queries/lake/pruned_before.sql");
  const pruned = row?.["before"] ?? null;
  const all = [restoredBefore, pruned === null ? undefined : String(pruned)].filter(
    (each) => each !== undefined,
  );
  const before = all.sort().at(-1);
  return ({ key }, day) =>
    before !== undefined && (day === "" ? key !== undefined : `${day} 00:00:00` < before);
}

const merged = "lake_merged";

/** What the lake holds of a day or a table. `folder` takes its files while they are read. */
export type InLake = {
  readonly store: Store;
  readonly files: readonly AddFile[];
  readonly folder: string;
};

/**
 * Brings the rows of a day, or of a whole table, that was pruned together with those that came since. Returns the name
 * of a temporary table that holds them.
 */
export async function mergedDay(
  connection: DuckDBConnection,
  { table, name, columns }: Relation,
  day: string,
  { store, files, folder }: InLake,
): Promise<string> {
  makeFolders(folder);
  const paths: string[] = [];
  for (const { path } of files) {
    // A name is used once: the database keeps what it has read by that (github.com/duckdb/duckdb/pull/16463).
    const local = join(folder, `${randomUUID()}.parquet`);
    await writeFile(local, await fileOf(store, `${table.name}/${decodeURIComponent(path)}`), {
      mode: 0o600,
    });
    paths.push(quotedText(local));
  }
  const column = table.day?.column;
  const list = columns.map((each) => quotedName(each.name)).join(", ");
  const dayText = column ? `, date ${quotedText(day)} as ${quotedName(column)}` : "";
  const where = column ? `where ${quotedName(column)} = date ${quotedText(day)}` : "";
  const same = table.key!.map(
    (each) => `m.${quotedName(each)} is not distinct from k.${quotedName(each)}`,
  );
  const kept = `read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true)`;
  await connection.run(
    `create or replace temp table ${merged} as select ${list}${dayText} from ${quotedName(name)} ${where}`,
  );
  await connection.run(`create or replace temp table lake_kept as select *${dayText} from ${kept}`);
  await connection.run(
    `insert into ${merged} by name select k.* from lake_kept as k anti join ${merged} as m on ${same.join(" and ")}`,
  );
  await connection.run("drop table lake_kept");
  return merged;
}

async function fileOf(store: Store, name: string): Promise<Buffer> {
  const bytes = await store.get(name);
  if (bytes !== undefined) return bytes;
  throw new AuditlakeError(
    `the lake ${store.place} lacks ${name}, which its log names; put it back from a copy, since the database no longer has these events`,
  );
}
