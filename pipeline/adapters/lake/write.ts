import { type DuckDBConnection, DuckDBMapValue } from "@duckdb/node-api";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import type { LakeColumn, Relation } from "./relation.ts";
import { makeFolders, computeFileSha256 } from "../../base/home/durable.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import { useThreads } from "../../base/sql/instance.ts";
import type { Publisher } from "./publisher.ts";

export type WrittenFile = {
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
 * Writes the rows of a day, or all of them, sorted, into a new folder, as one or more files. `from` is the relation to
 * read, if not the relation itself.
 */
export async function writeParquet(
  connection: DuckDBConnection,
  relation: Relation,
  day: string,
  folder: string,
  from = relation.name,
): Promise<WrittenFile[]> {
  const { columns } = relation;
  makeFolders(folder);
  const sql = `copy (${selectSortedRows(relation, day, from)}) to ${quoteText(join(folder, "rows"))} (${form})`;
  const found = (await connection.runAndReadAll(sql)).getRowObjects();
  return Promise.all(
    found.map(async (row): Promise<WrittenFile> => {
      const path = String(row["filename"]);
      const count = Number(row["count"]);
      const statistics = row["column_statistics"];
      const stats = buildStats(
        columns,
        count,
        statistics instanceof DuckDBMapValue ? statistics : undefined,
      );
      return {
        path,
        rows: count,
        bytes: (await stat(path)).size,
        sha256: await computeFileSha256(path),
        stats,
      };
    }),
  );
}

// The database's own values are sorted and then made into text, which is less to sort.
function selectSortedRows(
  { table, columns, name, kind }: Relation,
  day: string,
  from: string,
): string {
  const isPlain = from === name && kind === "view";
  const list = columns.map((each) => `${isPlain ? each.made : ""} ${quoteName(each.name)}`);
  const column =
    (isPlain ? table.day?.from : undefined) ?? (table.day && quoteName(table.day.column));
  const where = column === undefined ? "" : `where ${column} = date ${quoteText(day)}`;
  const rows = `from ${quoteName(isPlain ? table.name : from)} ${where} order by ${table.order}`;
  return `select ${list.join(", ")} from (select * ${rows})`;
}

type Bounds = Record<string, string | number>;

/**
 * Builds the statistics of a file for the log: its number of rows and, for columns used in ranges, minimum, maximum and
 * number of nulls. Inexact values are omitted, which costs readers time but no rows.
 */
export function buildStats(
  columns: readonly LakeColumn[],
  numRecords: number,
  statistics: DuckDBMapValue | undefined,
): string {
  const minValues: Bounds = {};
  const maxValues: Bounds = {};
  const nullCount: Record<string, number> = {};
  const found = new Map(statistics?.entries.map(({ key, value }) => [String(key), value]));
  for (const { name, type } of columns) {
    const value = found.get(`"${name}"`);
    if (!(value instanceof DuckDBMapValue)) continue;
    const facts = new Map(value.entries.map((entry) => [String(entry.key), String(entry.value)]));
    if (facts.has("null_count")) nullCount[name] = Number(facts.get("null_count"));
    const [min, max] = [
      parseBound(type, name, facts.get("min")),
      parseBound(type, name, facts.get("max"), 1),
    ];
    if (min === undefined || max === undefined) continue;
    minValues[name] = min;
    maxValues[name] = max;
  }
  return JSON.stringify({ numRecords, minValues, maxValues, nullCount });
}

// `up` is added to the greatest value of a time, since the log has milliseconds only.
function parseBound(
  type: string,
  name: string,
  text: string | undefined,
  up = 0,
): string | number | undefined {
  if (text === undefined) return undefined;
  if (type === "date") return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
  if (type === "timestamp_ntz") return parseMoment(text, up);
  if (type === "long" || type === "integer") return parseInteger(text);
  return type === "string" && name === "source" ? text : undefined;
}

function parseMoment(text: string, up: number): string | undefined {
  const ms = fromTimestamp(text);
  if (Number.isNaN(ms)) return undefined;
  const isTruncated = /\.\d{3}\d*[1-9]/.test(text);
  return new Date(ms + (isTruncated ? up : 0)).toISOString().replace("Z", "");
}

function parseInteger(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Connections that each know the relation, and write a day at a time. */
type Writers = AsyncDisposable & { readonly connections: readonly DuckDBConnection[] };

/**
 * Connections that write so many days, one beside the other. Threads that share the few rows of a day take half as much
 * processor time again as one does. So each connection has one where there are days for all.
 */
export async function openWriters(
  { connection, connect }: Publisher,
  relation: Relation,
  days: number,
): Promise<Writers> {
  // However small the file is: a store of objects is waited for.
  await useThreads(connection, "all");
  const threads = await readThreads(connection);
  // Only the connection that created a temporary table can read it.
  if (relation.kind === "table" || days < threads || threads === 1)
    return { connections: [connection], [Symbol.asyncDispose]: () => Promise.resolve() };
  const others = await Promise.all(Array.from({ length: threads - 1 }, connect));
  for (const other of others) await other.run(relation.made);
  await connection.run("set threads = 1");
  return {
    connections: [connection, ...others],
    [Symbol.asyncDispose]: async () => {
      for (const other of others) other.closeSync();
      await connection.run(`set threads = ${threads}`);
    },
  };
}

async function readThreads(connection: DuckDBConnection): Promise<number> {
  const found = await connection.runAndReadAll("select current_setting('threads')");
  return Number(found.getRows()[0]![0]);
}
