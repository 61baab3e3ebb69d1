import type { DuckDBConnection } from "@duckdb/node-api";
import { contract } from "../../schemas/generated/contract.ts";
import { UsageError } from "../errors.ts";
import { quotedName, quotedText } from "../../schemas/quoted.ts";
import { queryFile } from "../sql/statements.ts";

/** The sources that a database keeps anything of, in their order. */
export async function sourcesOf(connection: DuckDBConnection): Promise<string[]> {
  const rows = await queryFile(connection, "queries/publish/sources.sql");
  return rows.map((row) => String(row["source"]));
}

/** Throws UsageError where the file knows no source of a name, unless it is among the `configured`. */
export async function requireSource(
  connection: DuckDBConnection,
  source: string,
  configured: readonly string[] = [],
): Promise<void> {
  if (configured.includes(source)) return;
  const loaded = await sourcesOf(connection);
  if (loaded.includes(source)) return;
  const known = [...new Set([...loaded, ...configured])].sort();
  throw new UsageError(
    `no data of source ${source}; ${known.length === 0 ? "nothing is loaded yet" : `known: ${known.join(", ")}`}`,
  );
}

/**
 * Lets a connection see the rows of one source alone, by views of its own that stand before those of the file. Whatever
 * it is asked, it is asked of that source. Throws UsageError where the file knows none of the name.
 */
export async function limitToSource(connection: DuckDBConnection, source: string): Promise<void> {
  await requireSource(connection, source);
  const [{ file } = { file: "" }] = await queryFile(connection, "queries/publish/file.sql");
  const [from, name] = [`${quotedName(String(file))}.main`, quotedText(source)];
  for (const { name: table, columns } of contract)
    if (columns.some((column) => column.name === "source"))
      await connection.run(
        `create temp view ${table} as select * from ${from}.${table} where source = ${name}`,
      );
}
