import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { readAsset } from "../home/assets.ts";
import type { Column, Row, Rows } from "../rows/row.ts";
import { withParts } from "../sql/parts.ts";
import { textResult } from "./result.ts";
import { runStatement } from "./run-statement.ts";
import type { Statement } from "./bound.ts";

export type Fact = string | number | boolean | null;
export type Facts = Readonly<Record<string, Fact>>;

/**
 * The rows of one of the package's own queries, such as `queries/status/runs.sql`, in memory: for
 * queries that answer with a handful of rows. Whole numbers become numbers.
 */
export async function factsOf(
  connection: DuckDBConnection,
  path: string,
  values: Statement["values"],
): Promise<Facts[]> {
  const { columns, batches } = await runStatement(connection, {
    sql: withParts(readAsset(path)),
    values,
  });
  const facts: Facts[] = [];
  for await (const batch of batches)
    for (const row of batch)
      facts.push(
        Object.fromEntries(columns.map(({ name, kind }, i) => [name, factOf(row[i]!, kind)])),
      );
  return facts;
}

function factOf(cell: Fact | bigint, kind: string): Fact {
  if (typeof cell === "bigint") return Number(cell);
  return kind === "number" && typeof cell === "string" ? Number(cell) : cell;
}

/** Binds `$source`: one source, or all of them where it is undefined. */
export function ofSource(source: string | undefined): Statement["values"] {
  return { source: { type: VARCHAR, value: source ?? null } };
}

// Times are never cut to fit the width, text is.
const time = /^\d{4}-\d\d-\d\d[ T]\d\d:/;

/** Facts as a result to be drawn; numbers stand to the right. */
export function factsTable(facts: readonly Facts[]): Rows {
  const names = Object.keys(facts[0] ?? {});
  const rows = facts.map((fact): Row => names.map((name) => fact[name] ?? null));
  const result = textResult(names, rows);
  const kindAt = (i: number): Column["kind"] => {
    const cells = rows.map((row) => row[i]).filter((cell) => cell !== null);
    if (cells.some((cell) => typeof cell === "number")) return "number";
    return cells.length > 0 && cells.every((cell) => time.test(String(cell))) ? "time" : "text";
  };
  return {
    ...result,
    columns: result.columns.map((column, i) => ({ ...column, kind: kindAt(i) })),
  };
}

const rowsShown = 20;

/** What a list shows of many facts, and the title that says so. */
export function firstOf(title: string, facts: readonly Facts[]): { title: string; facts: Facts[] } {
  const more = facts.length > rowsShown ? ` (first ${rowsShown} of ${facts.length})` : "";
  return { title: `${title}${more}`, facts: facts.slice(0, rowsShown) };
}
