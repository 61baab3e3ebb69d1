import { commandText } from "../../base/command-line.ts";
import type { ContractTable } from "../../../schemas/contract.ts";
import { contract } from "../../../schemas/generated/contract.ts";
import { UsageError } from "../../base/errors.ts";
import { nearestNames } from "../../base/closest-names.ts";
import { textResult } from "./result.ts";
import type { Rows } from "../../base/rows/row.ts";

/** The table or view of this name, in any case; throws UsageError with the nearest names. */
export function tableNamed(name: string): ContractTable {
  const found = contract.find((table) => table.name === name.toLowerCase());
  if (found !== undefined) return found;
  const names = contract.map((table) => table.name);
  const near = nearestNames(name.toLowerCase(), names).join(", ");
  throw new UsageError(
    `no table ${JSON.stringify(name)}; the nearest: ${near}; ${commandText("tables")} lists all`,
  );
}

/** What one row of a table stands for, and what else there is to know. */
export function aboutOf({ row, about }: ContractTable): string {
  return `one row per ${row}.${about === null ? "" : ` ${about}`}`;
}

/** The tables, a row each. */
export function tableRows(): Rows {
  const rows = contract.map(({ name, group, row }) => [name, group, row]);
  return textResult(["name", "group", "one_row_per"], rows);
}

/** The columns of a table, a row each. */
export function columnRows({ columns }: ContractTable): Rows {
  const rows = columns.map(({ name, type, meaning }) => [name, type, meaning]);
  return textResult(["column", "type", "meaning"], rows);
}

/** Every column of every table, with what is to be known of the table. */
export function contractRows(): Rows {
  const names = ["table", "group", "one_row_per", "about", "column", "type", "meaning"];
  const rows = contract.flatMap(({ name, group, row, about, columns }) =>
    columns.map((column) => [name, group, row, about, column.name, column.type, column.meaning]),
  );
  return textResult(names, rows);
}
