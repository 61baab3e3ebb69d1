import { formatSecond } from "../../base/time/text.ts";
import {
  outputName,
  type AttributeColumn,
  type BuiltColumn,
  type Outputs,
} from "../../../schemas/outputs.ts";
import { UsageError } from "../../base/errors.ts";
import { formatZonedTime } from "../../base/time/wall.ts";
import type { Cell, Column, Row, Rows } from "../../base/rows/row.ts";

/** Values for the string builder that the mapping does not set. */
export type OutputFacts = {
  readonly nowMs: number;
  /** The zone of timestamps; UTC if left out. */
  readonly timezone?: string | undefined;
  /** Name of the report or activation, in the place of a segment's id. */
  readonly id: string;
  /** Its title, in the place of a segment's name. */
  readonly title: string;
};

/**
 * Maps rows to their output columns (seed 002, D): all columns or the chosen ones under their output names, then the
 * string builder values. Throws UsageError for a column that the result does not have, and for a name that two columns
 * would have.
 */
export function mapOutputs(rows: Rows, outputs: Outputs | undefined, facts: OutputFacts): Rows {
  if (outputs === undefined) return rows;
  const chosen = outputs.columns === "all" ? rows.columns.map(({ name }) => name) : outputs.columns;
  const positions = chosen.map((item) => findPosition(item, rows.columns));
  const built = outputs.string_builder.map((item) => buildColumn(item, outputs, facts));
  const columns = [
    ...chosen.map((item, at) => ({ ...rows.columns[positions[at]!]!, name: outputName(item) })),
    ...built.map(({ column }) => column),
  ];
  refuseDoubles(columns);
  const added = built.map(({ cell }) => cell);
  const mapRow = (row: Row): Row => [...positions.map((at) => row[at] ?? null), ...added];
  return { columns, batches: mapBatches(rows.batches, mapRow) };
}

async function* mapBatches(
  batches: Rows["batches"],
  mapped: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.map(mapped);
}

function findPosition(chosen: AttributeColumn, columns: readonly Column[]): number {
  const name = typeof chosen === "string" ? chosen : chosen.column;
  const at = columns.findIndex((column) => column.name === name);
  if (at >= 0) return at;
  const known = columns.map((column) => column.name).join(", ");
  throw new UsageError(`outputs.columns: the result has no column ${name}; it has ${known}`);
}

function buildColumn(
  item: BuiltColumn,
  { segment }: Outputs,
  { nowMs, id, title, timezone = "UTC" }: OutputFacts,
): { readonly column: Column; readonly cell: Cell } {
  const text: Column = { name: item.as, type: "VARCHAR", kind: "text" };
  switch (item.value) {
    case "string":
      return { column: text, cell: item.text };
    case "timestamp":
      // Database times are in UTC and have no other offset.
      return timezone === "UTC"
        ? {
            column: { name: item.as, type: "TIMESTAMP", kind: "time" },
            cell: formatSecond(nowMs),
          }
        : { column: text, cell: formatZonedTime(nowMs, timezone) };
    case "segment_id":
      return { column: text, cell: segment.id ?? id };
    case "segment_name":
      return { column: text, cell: segment.name ?? title };
    case "audience_id":
      return { column: text, cell: segment.audience_id ?? null };
  }
}

function refuseDoubles(columns: readonly Column[]): void {
  const names = columns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UsageError(
      `outputs: two columns would have the name ${twice}; rename one of them with "as"`,
    );
}
