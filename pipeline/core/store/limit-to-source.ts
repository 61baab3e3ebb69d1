import type { DuckDBConnection } from "@duckdb/node-api";
import { contract } from "../../../schemas/generated/contract.ts";
import { readAsset } from "../../base/home/assets.ts";
import { UsageError } from "../../base/errors.ts";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { queryFile } from "../../base/sql/statements.ts";

/** The sources that a database keeps anything of, in their order. */
export async function listSources(connection: DuckDBConnection): Promise<string[]> {
  const rows = await queryFile(connection, "queries/publish/published.sql#sources");
  return rows.map((row) => String(row["source"]));
}

/** Throws UsageError where the file knows no source of a name, unless it is among the `configured`. */
export async function requireSource(
  connection: DuckDBConnection,
  source: string,
  configured: readonly string[] = [],
): Promise<void> {
  if (configured.includes(source)) return;
  const loaded = await listSources(connection);
  if (loaded.includes(source)) return;
  const known = [...new Set([...loaded, ...configured])].sort();
  throw new UsageError(
    `no data of source ${source}; ${known.length === 0 ? "nothing is loaded yet" : `known: ${known.join(", ")}`}`,
  );
}

/**
 * Limits a connection to the rows of one source, by views of its own that hide those of the file. It is for statements
 * of this program: a statement that names a table by its qualified name still sees all of it. Throws UsageError if the
 * file does not know the source.
 */
export async function limitToSource(connection: DuckDBConnection, source: string): Promise<void> {
  await requireSource(connection, source);
  const [{ file } = { file: "" }] = await queryFile(
    connection,
    "queries/publish/published.sql#file",
  );
  for (const { name, isOfSource } of tables)
    if (isOfSource)
      await connection.run(
        `create temp view ${name} as ${selectRows(`${quoteName(String(file))}.main.${name}`, source)}`,
      );
}

/**
 * Fills an empty database with views of the tables of a file, and with the macros, and lets the connection ask there. The
 * views show the rows of one source alone.
 */
export async function replaceBySource(
  connection: DuckDBConnection,
  {
    file,
    source,
    inPlace,
  }: { readonly file: string; readonly source: string; readonly inPlace: string },
): Promise<void> {
  await connection.run(`use ${quoteName(inPlace)}`);
  for (const { name, isOfSource } of tables) {
    const table = `${quoteName(file)}.main.${name}`;
    await connection.run(
      `create view ${name} as ${isOfSource ? selectRows(table, source) : `select * from ${table}`}`,
    );
  }
  for (const macro of ["in_network", "event"])
    await connection.run(readAsset(`queries/views/${macro}.sql`));
}

// The macro also reads the table that the view is made of.
const tables: readonly { readonly name: string; readonly isOfSource: boolean }[] = [
  { name: "event_rows", isOfSource: true },
  ...contract.map(({ name, columns }) => ({
    name,
    isOfSource: columns.some((column) => column.name === "source"),
  })),
];

function selectRows(table: string, source: string): string {
  return `select * from ${table} where source = ${quoteText(source)}`;
}
