import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import { fetchedFiles } from "./fetched.ts";
import type { Kept } from "./kept.ts";
import type { AddFile } from "./log.ts";
import type { Relation } from "./relation.ts";
import type { Store } from "./store.ts";
import type { WholeJobs } from "./whole-jobs.ts";

/** What the lake holds of a day or a table. `folder` takes its files while they are read. */
export type InLake = {
  readonly store: Store;
  readonly files: readonly AddFile[];
  readonly folder: string;
  readonly kept: Kept;
  readonly whole: WholeJobs | undefined;
  /** Whether all rows stay that the database lacks, since it was put back from an older copy. */
  readonly isHeld: boolean;
};

/** Rows of a day where they stand, and whether they are others than those of the database. */
export type MergedDay = { readonly from: string; readonly isOther: boolean };

const merged = "lake_merged";

/**
 * Brings the rows of a day, or of a whole table, together with those that only the lake has. A row of the lake stays
 * where a prune may have taken it and its key is not among those of that day here. Jobs of which a prune took a part stand
 * where their whole stands.
 */
export async function mergedDay(
  connection: DuckDBConnection,
  relation: Relation,
  day: string,
  { store, files, folder, kept, whole, isHeld }: InLake,
): Promise<MergedDay> {
  const { table, name, columns } = relation;
  const paths = await fetchedFiles(store, table.name, files, folder, isHeld);
  const column = table.day?.column;
  const list = columns.map((each) => quotedName(each.name)).join(", ");
  const dayText = column ? `, date ${quotedText(day)} as ${quotedName(column)}` : "";
  const where = column ? `where ${quotedName(column)} = date ${quotedText(day)}` : "";
  await connection.run(
    `create or replace temp table ${merged} as select ${list}${dayText} from ${quotedName(name)} ${where}`,
  );
  let others = 0;
  if (whole !== undefined) {
    others += await changed(
      connection,
      `delete from ${merged} as m where exists (select 1 from ${whole.keys} as w where w.source = m.source and w.job_id = m.job_id)`,
    );
    others += await changed(
      connection,
      `insert into ${merged} by name select w.* from ${whole.rows(table)} as w ${where}`,
    );
  }
  if (paths.length > 0)
    others += await changed(
      connection,
      readKeptRows(relation, { paths, dayText, kept, whole, isHeld }),
    );
  return { from: merged, isOther: others > 0 };
}

type Rows = Pick<InLake, "kept" | "whole" | "isHeld"> & {
  readonly paths: readonly string[];
  readonly dayText: string;
};

function readKeptRows({ table }: Relation, { paths, dayText, kept, whole, isHeld }: Rows): string {
  const same = table.key!.map(
    (each) => `m.${quotedName(each)} is not distinct from k.${quotedName(each)}`,
  );
  const from = `read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true)`;
  const column = table.day?.column;
  const taken = column ? `${quotedName(column)} < ${kept.moment}` : `${kept.moment} is not null`;
  const moment = isHeld ? "true" : taken;
  const elsewhere =
    whole === undefined
      ? ""
      : `anti join ${whole.keys} as w on w.source = k.source and w.job_id = k.job_id`;
  return `insert into ${merged} by name with lake_kept as (select *${dayText} from ${from}) select k.* from (select * from lake_kept where ${moment}) as k anti join ${merged} as m on ${same.join(" and ")} ${elsewhere}`;
}

async function changed(connection: DuckDBConnection, sql: string): Promise<number> {
  return (await connection.run(sql)).rowsChanged;
}
