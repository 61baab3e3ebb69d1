import type { Catalog } from "../catalog.ts";
import { toTableRows, type TableRows } from "./rows.ts";

/** The statements that fill the catalog tables anew, one table after the other. */
export function toSeedSql(catalog: Catalog): string {
  return (
    [
      "-- Generated from schemas/catalog by `make generate`; do not edit.",
      ...toTableRows(catalog).flatMap(statements),
    ].join("\n") + "\n"
  );
}

function statements({ table, columns, rows }: TableRows): string[] {
  const clear = `delete from ${table};`;
  if (rows.length === 0) return [clear];
  const values = rows.map((row) => `  (${row.map(literal).join(", ")})`).join(",\n");
  return [clear, `insert into ${table} (${columns.join(", ")}) values\n${values};`];
}

function literal(value: string | number | boolean | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
