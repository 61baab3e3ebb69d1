import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { readAsset } from "../home/assets.ts";

export type Values = Record<string, DuckDBValue>;
export type Row = Record<string, DuckDBValue>;

/**
 * Runs every statement of a .sql file of the package; each gets those of the values it names. Returns how many rows
 * they changed together.
 */
export async function runFile(
  connection: DuckDBConnection,
  path: string,
  values: Values = {},
): Promise<number> {
  let changed = 0;
  for (const statement of statementsOf(readAsset(path)))
    changed += (await connection.run(statement, named(statement, values))).rowsChanged;
  return changed;
}

/** The rows of the last statement of a .sql file, as objects. */
export async function queryFile(
  connection: DuckDBConnection,
  path: string,
  values: Values = {},
): Promise<Row[]> {
  const statements = statementsOf(readAsset(path));
  const last = statements.pop() ?? "";
  for (const statement of statements) await connection.run(statement, named(statement, values));
  const reader = await connection.runAndReadAll(last, named(last, values));
  return reader.getRowObjects();
}

/** The statements of a file: they end with a semicolon at the end of a line. */
export function statementsOf(sql: string): string[] {
  return sql
    .split(/;[ \t]*(?:\n|$)/)
    .filter((statement) => statement.replaceAll(/--.*$/gm, "").trim() !== "");
}

function named(statement: string, values: Values): Values {
  const names = new Set([...statement.matchAll(/\$([a-z_]+)/g)].map((match) => match[1]!));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
