import { createHash } from "node:crypto";
import { AuditlakeError } from "../../../base/errors.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { RowError, valuesOf, type Layout } from "./layout.ts";
import { supplyOf } from "./supply.ts";

const named = 5;

/**
 * Looks at all rows before the first of them goes out, where they can be read twice. Throws AuditlakeError at a row
 * that does not fit its fields (seed 002, Errors, rule 3), unless such rows are left out. `print` hears of rows with a
 * primary key that another one has, of which only the last stays. Resolves to whether there are such, or may be.
 */
export async function checkRows(
  { again }: Rows,
  layout: Layout,
  write: ((row: Row) => string) | undefined,
  isWanted: (number: number) => boolean,
  print: (line: string) => void,
): Promise<boolean> {
  if (again === undefined) return true;
  const seen = new Set<string>();
  const doubled: number[] = [];
  const supply = supplyOf(await again(), isWanted);
  for (let found = await supply.next(); found !== undefined; found = await supply.next()) {
    const key = keyIn(found.row, found.number, layout, write);
    if (key === undefined) continue;
    if (seen.has(key)) doubled.push(found.number);
    else seen.add(key);
  }
  if (doubled.length === 0) return false;
  const rows = doubled.slice(0, named).join(", ") + (doubled.length > named ? ", …" : "");
  print(
    `warning: ${rowCount(doubled.length)} with a primary key that an earlier row of the result has, such as row ${rows}: only the last of each stays`,
  );
  return true;
}

// A digest of the key, since a million of them lie in memory.
function keyIn(
  row: Row,
  number: number,
  { keys }: Layout,
  write: ((row: Row) => string) | undefined,
): string | undefined {
  try {
    write?.(row);
    const text = JSON.stringify(valuesOf(row, keys));
    return createHash("sha256").update(text).digest("base64").slice(0, 22);
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (write === undefined) return undefined;
    throw new AuditlakeError(
      `row ${number} is no valid record: ${error.message}; nothing was sent`,
    );
  }
}
