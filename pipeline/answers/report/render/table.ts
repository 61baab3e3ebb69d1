import { escapeControls } from "../../../base/printable.ts";
import type { Cell, Column, Row } from "../../../base/rows/row.ts";
import { wrapText } from "../../../base/terminal/amounts.ts";
import { clipped, displayWidth, shortened } from "../../../base/terminal/width.ts";
import type { Render, RenderOptions } from "../result.ts";
import { formatHuman, gap, type Layout, type Place, planLayout, type Texts } from "./layout.ts";
import { renderRecords } from "./text.ts";

/**
 * Renders a table for people. Control characters are escaped; sizes and durations have units. The first rows decide the
 * layout, later ones follow it. Numbers and times are never truncated, and nothing is with unlimited width. If the
 * caller allows it, columns that do not fit are omitted, and rows are written as lines if hardly any column fits.
 */
export const renderTable: Render = async function* (result, options) {
  const { columns } = result;
  const { columns: available = 80 } = options;
  const head = columns.map(({ name }) => formatText(name, available));
  let layout: Layout | undefined;
  const batches = result.batches[Symbol.asyncIterator]();
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    const batch = next.value;
    if (batch.length === 0) continue;
    const rows = batch.map((row) =>
      columns.map((column, i) => formatCell(row[i]!, column, available)),
    );
    if (layout === undefined) {
      layout = layOutTable(columns, head, rows, options);
      if (layout.isTooNarrow && options.asLines !== undefined) {
        options.asLines();
        yield* renderRecords({ columns, batches: rejoinRows(batch, batches) }, options);
        return;
      }
      reportLeftOut(columns, layout, options);
      if (options.header !== false) yield drawHead(head, layout);
    }
    yield drawLines(options.isWrapped === true ? wrapRows(rows, layout) : rows, layout);
  }
  if (layout !== undefined || options.header === false) return;
  layout = layOutTable(columns, head, [], options);
  reportLeftOut(columns, layout, options);
  yield drawHead(head, layout);
};

async function* rejoinRows(
  first: readonly Row[],
  rest: AsyncIterator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function formatCell(cell: Cell, column: Column, available: number): string {
  if (cell === null) return "";
  return column.kind === "text" ? formatText(String(cell), available) : formatHuman(cell, column);
}

// A megabyte of query text is not escaped for the sake of its first few words.
function formatText(text: string, available: number): string {
  return clipped(escapeControls(text.slice(0, available * 4)), available * 2);
}

function layOutTable(
  columns: readonly Column[],
  head: Texts,
  rows: readonly Texts[],
  { columns: available = 80, narrowest = 6, leftOut, header }: RenderOptions,
): Layout {
  const shownHead = header === false ? head.map(() => "") : head;
  const mayLeaveOut = leftOut !== undefined;
  return planLayout(columns, shownHead, rows, { available, narrowest, mayLeaveOut });
}

function reportLeftOut(
  columns: readonly Column[],
  { leftOut }: Layout,
  options: RenderOptions,
): void {
  if (leftOut.length > 0) options.leftOut?.(leftOut.map((index) => columns[index]!.name));
}

function drawHead(head: Texts, layout: Layout): string {
  const rule: string[] = [];
  for (const { index, width } of layout.places) rule[index] = "─".repeat(width);
  return drawLines([head, rule], layout);
}

function drawLines(lines: readonly Texts[], { places, isBounded }: Layout): string {
  const drawn = places.map((place) => ({ ...place, width: measureWidth(place, lines, isBounded) }));
  return lines
    .map((line) => {
      const cells = drawn.map((place) => padText(line[place.index]!, place));
      return `${cells.join(gap).replace(/(?<! ) +$/, "")}\n`;
    })
    .join("");
}

function wrapRows(rows: readonly Texts[], { places, isBounded }: Layout): Texts[] {
  if (!isBounded) return [...rows];
  return rows.flatMap((row) => {
    const parts = new Map(
      places.map(({ index, kind, isName, width }) => [
        index,
        kind === "text" && !isName ? wrapText(row[index]!, width) : [row[index]!],
      ]),
    );
    const height = Math.max(...[...parts.values()].map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      row.map((_, index) => parts.get(index)?.[line] ?? ""),
    );
  });
}

function measureWidth(
  { kind, index, width }: Place,
  lines: readonly Texts[],
  isBounded: boolean,
): number {
  if (kind === "text" && isBounded) return width;
  return lines.reduce((most, line) => Math.max(most, displayWidth(line[index]!)), width);
}

function padText(text: string, { kind, isName, width }: Place): string {
  const shown = isName ? shortened(text, width) : clipped(text, width);
  const space = " ".repeat(Math.max(0, width - displayWidth(shown)));
  return kind === "number" ? space + shown : shown + space;
}
