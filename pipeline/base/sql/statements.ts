import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { readAsset } from "../home/assets.ts";

export type Values = Record<string, DuckDBValue>;
export type Row = Record<string, DuckDBValue>;

/**
 * Reads SQL of the package: a whole file (`queries/load/users.sql`), or of a file with named statements those of one name
 * (`queries/load/rows.sql#insert`, below the line `-- name: insert`).
 */
export function readSql(path: string): string {
  const [file = "", name] = path.split("#");
  const sql = withParts(readAsset(file));
  if (name === undefined) return sql;
  const [, ...parts] = sql.split(/^-- name: ([a-z_]+)\n/m);
  const at = parts.indexOf(name);
  if (at < 0) throw new Error(`${file} has no statement ${name}`);
  return parts[at + 1]!;
}

/**
 * Runs the statements of a file or of one name; each gets those of the values it names. Returns how many rows the last
 * one changed.
 */
export async function runFile(
  connection: DuckDBConnection,
  path: string,
  values: Values = {},
): Promise<number> {
  let changed = 0;
  for (const batch of readBatches(path))
    changed = (await connection.run(batch.sql, selectNamed(batch, values))).rowsChanged;
  return changed;
}

/** Runs the statements of several files or names that take no values, all at once. */
export async function runFiles(
  connection: DuckDBConnection,
  paths: readonly string[],
): Promise<void> {
  const statements = paths.flatMap((path) => splitStatements(readSql(path)));
  await connection.run(statements.join(";\n"));
}

/** The rows of the last statement of a file or of one name, as objects. */
export async function queryFile(
  connection: DuckDBConnection,
  path: string,
  values: Values = {},
): Promise<Row[]> {
  const batches = readBatches(path);
  const last = batches.at(-1)!;
  for (const batch of batches.slice(0, -1))
    await connection.run(batch.sql, selectNamed(batch, values));
  const reader = await connection.runAndReadAll(last.sql, selectNamed(last, values));
  return reader.getRowObjects();
}

/** A column of a row as text; null where it holds nothing or the row has no such column. */
export function getText(row: Row, name: string): string | null {
  const value = row[name] ?? null;
  return value === null ? null : String(value);
}

// Statements that the database gets at once, and the names of the values that they take.
type Batch = { readonly sql: string; readonly names: readonly string[] };

const prepared = new Map<string, readonly Batch[]>();

// Values can be bound to one statement at a time; statements without values are sent together.
function readBatches(path: string): readonly Batch[] {
  const known = prepared.get(path);
  if (known !== undefined) return known;
  const texts: string[] = [];
  for (const statement of splitStatements(readSql(path))) {
    const last = texts.at(-1);
    if (last === undefined || value.test(last) || value.test(statement)) texts.push(statement);
    else texts.push(`${texts.pop()};\n${statement}`);
  }
  const made = texts.map((sql) => ({ sql, names: listNames(sql) }));
  prepared.set(path, made);
  return made;
}

const value = /\$[a-z_]/;

function listNames(sql: string): string[] {
  return [...new Set([...sql.matchAll(/\$([a-z_]+)/g)].map((match) => match[1]!))];
}

/** Splits a file into its statements, which end with a semicolon at the end of a line that is no comment. */
export function splitStatements(sql: string): string[] {
  return sql
    .split(/(?<=(?:^|\n)(?![ \t]*--)[^\n]*);[ \t]*(?:\n|$)/)
    .filter((statement) => statement.replaceAll(/--.*$/gm, "").trim() !== "");
}

function selectNamed({ names }: Batch, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/** The SQL of a built-in query with the parts that it shares with others (queries/parts), which may have parts, too. */
export function withParts(sql: string): string {
  return sql.replaceAll(/^ *-- part: ([a-z_]+)\n/gm, (_, part: string) =>
    withParts(readAsset(`queries/parts/${part}.sql`)),
  );
}
