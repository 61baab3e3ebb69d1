import { type DuckDBConnection, DuckDBMapValue } from "@duckdb/node-api";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import type { Relation } from "./relation.ts";
import { statsOf } from "./stats.ts";
import { sha256OfFile } from "../../base/home/sha256.ts";
import { makeFolders } from "../../base/home/folders.ts";

/** A Parquet file on its way to the lake. */
export type Written = {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Statistics as the log of a Delta table holds them. */
  readonly stats: string;
};

// What one request can put into an object store with little memory, and what engines like to read.
const fileBytes = "128MB";
// The first level of zstd takes less time than the usual third one, and the files are no larger.
const form = `format parquet, compression zstd, compression_level 1, row_group_size 122880, file_size_bytes '${fileBytes}', return_stats`;

/**
 * Writes the rows of a day, or all of them, sorted, into a new folder, a file or several. `from` is where they stand if
 * not in the relation itself.
 */
export async function writeParquet(
  connection: DuckDBConnection,
  relation: Relation,
  day: string,
  folder: string,
  from = relation.name,
): Promise<Written[]> {
  const { columns } = relation;
  makeFolders(folder);
  const sql = `copy (${sortedRows(relation, day, from)}) to ${quotedText(join(folder, "rows"))} (${form})`;
  const found = (await connection.runAndReadAll(sql)).getRowObjects();
  return Promise.all(
    found.map(async (row): Promise<Written> => {
      const path = String(row["filename"]);
      const count = Number(row["count"]);
      const statistics = row["column_statistics"];
      const stats = statsOf(
        columns,
        count,
        statistics instanceof DuckDBMapValue ? statistics : undefined,
      );
      return {
        path,
        rows: count,
        bytes: (await stat(path)).size,
        sha256: await sha256OfFile(path),
        stats,
      };
    }),
  );
}

// The database's own values are sorted and then made into text, which is less to sort.
function sortedRows({ table, columns, name, kind }: Relation, day: string, from: string): string {
  const isPlain = from === name && kind === "view";
  const list = columns.map((each) => `${isPlain ? each.made : ""} ${quotedName(each.name)}`);
  const column =
    (isPlain ? table.day?.from : undefined) ?? (table.day && quotedName(table.day.column));
  const where = column === undefined ? "" : `where ${column} = date ${quotedText(day)}`;
  const rows = `from ${quotedName(isPlain ? table.name : from)} ${where} order by ${table.order}`;
  return `select ${list.join(", ")} from (select * ${rows})`;
}
