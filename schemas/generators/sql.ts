import { quoteText } from "../quote.ts";
import type { Catalog } from "../catalog.ts";
import { toTableRows, type TableRows } from "./rows.ts";

/** Writes the statements that refill the catalog tables, one table after the other. */
export function toSeedSql(catalog: Catalog): string {
  return (
    [
      "-- Generated from schemas/catalog by `make generate`; do not edit.",
      ...toTableRows(catalog).flatMap(writeStatements),
    ].join("\n") + "\n"
  );
}

// The rows are one text, one row a line: a statement with thousands of values takes ten times as long to read.
function writeStatements({ table, columns, rows }: TableRows): string[] {
  const clear = `delete from ${table};`;
  if (rows.length === 0) return [clear];
  const given = rows.map((row) => JSON.stringify(row)).join(",\n");
  const picked = columns.map((_, i) => pickRow(rows, i)).join(", ");
  return [
    clear,
    `insert into ${table} (${columns.join(", ")})`,
    `select ${picked}`,
    `from (select unnest(from_json(${quoteText(`[\n${given}\n]`)}, '[["VARCHAR"]]')) as r);`,
  ];
}

function pickRow(rows: TableRows["rows"], i: number): string {
  const kinds = new Set(rows.map((row) => typeof row[i]));
  const type = kinds.has("number") ? "bigint" : kinds.has("boolean") ? "boolean" : undefined;
  return type === undefined ? `r[${i + 1}]` : `cast(r[${i + 1}] as ${type})`;
}
