import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openInMemory } from "../../core/store/open.ts";
import type { ExportMeta } from "../report/meta.ts";

/** Describes where the rows of two files differ; of a format without plain rows only that they do. */
export async function describeDifferences(
  file: string,
  again: string,
  { format, options }: ExportMeta,
  { config }: Settings,
): Promise<string> {
  const other = "the file built from the stored pages has different bytes";
  const read = readers[format];
  if (read === undefined) return other;
  try {
    await using database = await openInMemory(readLimits(config));
    const { connection } = database;
    const tables = [file, again].map((path) => read(path, options));
    return (await compareTables(connection, tables[0]!, tables[1]!)) ?? other;
  } catch {
    // A file that no reader takes for what its description calls it.
    return other;
  }
}

type ReadText = (path: string, options: ExportMeta["options"]) => string;

const readers: Readonly<Partial<Record<ExportMeta["format"], ReadText>>> = {
  csv: (path, { separator = ",", header = true }) => readDelimited(path, separator, header),
  tsv: (path, { header = true }) => readDelimited(path, "\t", header),
  ndjson: (path) => `read_json(${quoteText(path)}, format = 'newline_delimited')`,
  json: (path) => `read_json(${quoteText(path)}, format = 'array')`,
  parquet: (path) => `read_parquet(${quoteText(path)})`,
};

function readDelimited(path: string, separator: string, header: boolean): string {
  return `read_csv(${quoteText(path)}, delim = ${quoteText(separator)}, header = ${header}, all_varchar = true, quote = '"', escape = '"')`;
}

async function compareTables(
  connection: DuckDBConnection,
  file: string,
  again: string,
): Promise<string | undefined> {
  const [own, other] = [await listColumns(connection, file), await listColumns(connection, again)];
  if (own.join("\n") !== other.join("\n")) return "the column names differ";
  const counts = own.map(
    (name) =>
      `count(*) filter (where a.${quoteName(name)}::varchar is distinct from b.${quoteName(name)}::varchar)`,
  );
  const reader = await connection.runAndReadAll(
    `select (select count(*) from ${file}), (select count(*) from ${again}), ${counts.join(", ")} from (select * from ${file}) as a positional join (select * from ${again}) as b`,
  );
  const [rows, expected, ...differing] = reader.getRows()[0]!.map(Number);
  if (rows !== expected)
    return `the file has ${rows} rows, expected ${expected} from the stored pages`;
  const names = own.filter((_, i) => differing[i]! > 0);
  return names.length === 0 ? undefined : `rows differ in ${names.join(", ")}`;
}

async function listColumns(connection: DuckDBConnection, table: string): Promise<string[]> {
  return (await connection.runAndReadAll(`from ${table} limit 0`)).columnNames();
}
