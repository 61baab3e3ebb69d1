import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import type { Statement } from "./bind.ts";
import { runStatement } from "./select.ts";
import { readSql } from "./statements.ts";

export type Fact = string | number | boolean | null;
export type Facts = Readonly<Record<string, Fact>>;

/**
 * The rows of one of the package's own queries, such as `queries/status/runs.sql`, in memory: for
 * queries that answer with a handful of rows. Whole numbers become numbers.
 */
export async function queryFacts(
  connection: DuckDBConnection,
  path: string,
  values: Statement["values"],
): Promise<Facts[]> {
  const { columns, batches } = await runStatement(connection, {
    sql: readSql(path),
    values,
  });
  const facts: Facts[] = [];
  for await (const batch of batches)
    for (const row of batch)
      facts.push(
        Object.fromEntries(columns.map(({ name, kind }, i) => [name, toFact(row[i]!, kind)])),
      );
  return facts;
}

function toFact(cell: Fact | bigint, kind: string): Fact {
  if (typeof cell === "bigint") return Number(cell);
  return kind === "number" && typeof cell === "string" ? Number(cell) : cell;
}

/** Binds `$source`: one source, or all of them where it is undefined. */
export function bindSource(source: string | undefined): Statement["values"] {
  return { source: { type: VARCHAR, value: source ?? null } };
}
