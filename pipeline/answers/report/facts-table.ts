import type { Column, Row, Rows } from "../../base/rows/row.ts";
import type { Facts } from "../../base/sql/typed-rows.ts";
import { textResult } from "./result.ts";

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
