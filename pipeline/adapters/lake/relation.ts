import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../base/errors.ts";
import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { LakeTable } from "./tables.ts";

/** A column as the lake holds it: its Delta type, and how the database makes it. */
export type LakeColumn = { readonly name: string; readonly type: string; readonly made: string };

/** The rows of a table in the form of the lake: a temporary view or, where they are folded from others, a temporary table. */
export type Relation = {
  readonly table: LakeTable;
  /** Its name among the temporary ones. */
  readonly name: string;
  readonly kind: "table" | "view";
  /** Those of the files, without the day that they are kept by. */
  readonly columns: readonly LakeColumn[];
  /** The statement that makes it. */
  readonly made: string;
};

const deltaTypes: Readonly<Record<string, string>> = {
  VARCHAR: "string",
  BIGINT: "long",
  INTEGER: "integer",
  DOUBLE: "double",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp_ntz",
};

/** Makes the lake's form of a table of the database that the connection has open. */
export async function relationOf(
  connection: DuckDBConnection,
  table: LakeTable,
  ingester: string,
): Promise<Relation> {
  const rows = await queryFile(connection, "queries/lake/columns.sql", { name: table.name });
  if (rows.length === 0)
    throw new AuditlakeError(
      `the published file has no ${table.name}, it is of an earlier auditlake; run ${commandText("publish")}, which brings it up to date`,
    );
  const own = rows.map((row) => columnOf(String(row["column_name"]), String(row["data_type"])));
  const columns = [...own, ...extraOf(table, ingester)];
  const name = `lake_${table.name}`;
  const list = columns.map(({ name: column, made }) => `${made} as ${quotedName(column)}`);
  const kind = await kindOf(connection, table.name);
  const body = `select ${list.join(", ")} from ${quotedName(table.name)}`;
  const made = `create or replace temp ${kind} ${quotedName(name)} as ${body}`;
  await connection.run(made);
  const kept = columns.filter((column) => column.name !== table.day?.column);
  return { table, name, kind, columns: kept, made };
}

// A view is folded once; the digest and the file are of the same rows.
async function kindOf(connection: DuckDBConnection, name: string): Promise<"table" | "view"> {
  const found = await queryFile(connection, "queries/lake/is_view.sql", { name });
  return found.length > 0 ? "table" : "view";
}

function extraOf({ day, isShared }: LakeTable, ingester: string): LakeColumn[] {
  const ofDay = day?.from === undefined ? [] : [{ name: day.column, type: "date", made: day.from }];
  if (!isShared) return ofDay;
  return [...ofDay, { name: "ingester", type: "string", made: quotedText(ingester) }];
}

function columnOf(name: string, type: string): LakeColumn {
  const column = quotedName(name);
  if (type === "UUID") return { name, type: "string", made: `lower(hex(cast(${column} as blob)))` };
  if (type === "JSON" || type.startsWith("ENUM("))
    return { name, type: "string", made: `cast(${column} as varchar)` };
  if (type.endsWith("[]"))
    return { name, type: "string", made: `cast(to_json(${column}) as varchar)` };
  const known = deltaTypes[type];
  if (known !== undefined) return { name, type: known, made: column };
  throw new AuditlakeError(`column ${name} has type ${type}, which no table of the lake can hold`);
}

/** The columns as the log of a Delta table describes them, the day among them. */
export function schemaOf({ table, columns }: Relation): string {
  const all = table.day ? [...columns, { name: table.day.column, type: "date" }] : columns;
  const fields = all.map(({ name, type }) => ({ name, type, nullable: true, metadata: {} }));
  return JSON.stringify({ type: "struct", fields });
}
