import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import type { Cell, Column, Row } from "../../../base/rows/row.ts";

/** The part of a delivery that a row belongs to: a folder such as `date=2026-11-21`, or `""`. */
export type PartOf = (row: Row) => string;

/** Distribution of a delivery's rows over files; without partitions there is one file, even for no rows. */
export type Partition = { readonly isParted: boolean; readonly getPart: PartOf };

const day = /^(\d{4}-\d\d-\d\d)(?:$|[T ])/;

// What readers of such folders take for null.
const without = "__HIVE_DEFAULT_PARTITION__";

/**
 * Splits rows by the day of a column, in UTC. Throws UsageError if the result does not have the column, or has another
 * column `date`, which readers would confuse with the day of the folder.
 */
export function partitionByDay(name: string | undefined, columns: readonly Column[]): Partition {
  if (name === undefined) return { isParted: false, getPart: () => "" };
  const at = columns.findIndex((column) => column.name === name);
  const column = columns[at];
  if (column === undefined || (column.kind !== "time" && column.kind !== "text"))
    throw new UsageError(
      `partition_by_day: ${name} is ${column === undefined ? "not a column of the result" : `a column of type ${column.type}`}; expected a column that holds a date or a time`,
    );
  if (columns.some((other) => other.name.toLowerCase() === "date"))
    throw new UsageError(
      "partition_by_day: the result has a column named date, which conflicts with the day of the folder; rename it in outputs",
    );
  return { isParted: true, getPart: (row) => `date=${readDay(row[at] ?? null, name)}` };
}

function readDay(cell: Cell, name: string): string {
  if (cell === null) return without;
  const found = day.exec(String(cell))?.[1];
  const isDay = found !== undefined && !Number.isNaN(Date.parse(found));
  if (isDay) return found;
  throw new AuditlakeError(
    `partition_by_day: ${name} has a value that is not a date; expected dates or times such as 2026-11-21T10:20:30Z; nothing was written`,
  );
}
