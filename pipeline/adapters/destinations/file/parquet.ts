import { DuckDBDataChunk, VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import { join } from "node:path";
import { quoteName } from "../../../../schemas/quote.ts";
import { getParquetType } from "../../../base/sql/select.ts";
import { openInstance } from "../../../base/sql/instance.ts";
import type { Cell, Column, Row, Rows } from "../../../base/rows/row.ts";
import type { Partition, PartOf } from "./day.ts";
import type { Draft } from "./draft.ts";

const chunkRows = 2048;

/**
 * Writes rows as Parquet, each to the file of its part; resolves to the number of rows. Numbers, booleans and times
 * keep their types, all else is text. The rows pass through a database of their own, which spills what does not fit.
 */
export async function writeParquet(
  rows: Rows,
  { getPart, isParted }: Partition,
  draft: Draft,
): Promise<number> {
  const instance = await openInstance(":memory:", {
    memory_limit: "256MB",
    threads: "1",
    temp_directory: join(draft.folder, ".spill"),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await connection.run("set TimeZone = 'UTC'");
    const count = await stageRows(connection, rows, getPart);
    const parts = isParted ? await listParts(connection) : [""];
    for (const part of parts) {
      const copy = await connection.prepare(copyStatement(rows.columns));
      copy.bind({ part, path: await draft.path(part) });
      await draft.guarded(() => copy.run());
    }
    return count;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function stageRows(
  connection: DuckDBConnection,
  rows: Rows,
  partOf: PartOf,
): Promise<number> {
  const names = rows.columns.map((_, at) => `c${at} varchar`);
  await connection.run(`create table staged (part varchar, ${names.join(", ")})`);
  const appender = await connection.createAppender("staged");
  // One for all: the collector does not see how much the database holds for each.
  const chunk = DuckDBDataChunk.create([VARCHAR, ...rows.columns.map(() => VARCHAR)]);
  let count = 0;
  for await (const batch of rows.batches)
    for (let at = 0; at < batch.length; at += chunkRows) {
      chunk.reset();
      chunk.setRows(batch.slice(at, at + chunkRows).map((row) => toStagedRow(row, partOf)));
      appender.appendDataChunk(chunk);
      count += chunk.rowCount;
    }
  appender.closeSync();
  return count;
}

function toStagedRow(row: Row, partOf: PartOf): (string | null)[] {
  return [partOf(row), ...row.map(toStagedText)];
}

function toStagedText(cell: Cell): string | null {
  if (cell === null) return null;
  return Object.is(cell, -0) ? "-0" : String(cell);
}

async function listParts(connection: DuckDBConnection): Promise<string[]> {
  const found = await connection.runAndReadAll("select distinct part from staged order by part");
  return found.getRows().map(([part]) => String(part));
}

function copyStatement(columns: readonly Column[]): string {
  const values = columns.map(
    ({ name, ...column }, at) => `cast(c${at} as ${chooseType(column)}) as ${quoteName(name)}`,
  );
  const select = `select ${values.join(", ")} from staged where part = $part order by rowid`;
  return `copy (${select}) to $path (format parquet, use_tmp_file false)`;
}

// Lists, structs and the like are JSON text by now.
const scalar = /^[A-Z][A-Z_ ]*(\(\d+,\s*\d+\))?$/;

function chooseType({ kind, type }: Pick<Column, "kind" | "type">): string {
  if (kind === "text" || !scalar.test(type)) return "VARCHAR";
  return getParquetType(type);
}
