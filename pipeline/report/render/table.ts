import Table from "cli-table3";
import { printable } from "../printable.ts";
import type { Cell, Column, Render } from "../result.ts";
import { clipped, displayWidth, fittedWidths } from "./widths.ts";

type Texts = readonly string[];

const gap = "  ";
// Every piece of the frame is left out but the gap between columns.
const unframed = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: gap,
};

// The time that cli-table3 takes grows faster than the number of rows.
const rowsPerDrawing = 64;

/**
 * A table for people: long text is cut to fit the width, control characters are shown escaped. The
 * first batch of rows decides on the widths of the columns, later ones keep to it.
 */
export const renderTable: Render = async function* (result, { columns: available = 80 }) {
  const { columns } = result;
  const head = columns.map((column) => cellText(column.name, available));
  let widths: number[] | undefined;
  for await (const batch of result.batches) {
    const rows = batch.map((row) => row.map((cell) => cellText(cell, available)));
    if (widths === undefined) {
      widths = widthsOf(columns, [head, ...rows], available);
      yield draw(headLines(head, widths), columns, widths);
    }
    for (let at = 0; at < rows.length; at += rowsPerDrawing)
      yield draw(rows.slice(at, at + rowsPerDrawing), columns, widths);
  }
  if (widths !== undefined) return;
  widths = widthsOf(columns, [head], available);
  yield draw(headLines(head, widths), columns, widths);
};

function cellText(cell: Cell, available: number): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  // A megabyte of query text is not escaped for the sake of its first few words.
  return clipped(printable(cell.slice(0, available * 4)), available);
}

function widthsOf(columns: readonly Column[], lines: readonly Texts[], available: number) {
  const natural = columns.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, displayWidth(line[index]!)), 1),
  );
  return fittedWidths(columns, natural, available - gap.length * (columns.length - 1));
}

function headLines(head: Texts, widths: readonly number[]): Texts[] {
  return [head, widths.map((width) => "─".repeat(width))];
}

function draw(lines: readonly Texts[], columns: readonly Column[], widths: number[]): string {
  const table = new Table({
    chars: unframed,
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 0 },
    colWidths: [...widths],
    colAligns: columns.map((column) => (column.kind === "number" ? "right" : "left")),
  });
  for (const line of lines) table.push(line.map((text, index) => clipped(text, widths[index]!)));
  return `${table.toString().replace(/ +$/gm, "")}\n`;
}
