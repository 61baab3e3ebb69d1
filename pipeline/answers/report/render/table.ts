import { printable } from "../../../base/printable.ts";
import type { Cell, Column } from "../../../base/rows/row.ts";
import type { Render, RenderOptions } from "../result.ts";
import { spacedText } from "../../../base/time/text.ts";

type Texts = readonly string[];

const gap = "  ";

type Layout = {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  /** Where nothing bounds the table, wider text moves what is right of it. */
  readonly isBounded: boolean;
};

/**
 * A table for people. Long text is shortened, and control characters are shown escaped. Columns at the end that do not
 * fit are left out where the caller wants to know. The first rows decide on the layout, later ones keep to it; numbers
 * and times are never cut, and in unbounded width nothing is.
 */
export const renderTable: Render = async function* (result, options) {
  const { columns } = result;
  const { columns: available = 80 } = options;
  const head = columns.map(({ name }) => textOf(name, available));
  let layout: Layout | undefined;
  for await (const batch of result.batches) {
    if (batch.length === 0) continue;
    const rows = batch.map((row) =>
      columns.map((column, i) => cellText(row[i]!, column, available)),
    );
    if (layout === undefined) {
      layout = layoutOf(columns, options.header === false ? rows : [head, ...rows], options);
      if (options.header !== false) yield drawHead(head, layout);
    }
    yield draw(rows, layout);
  }
  if (layout === undefined && options.header !== false)
    yield drawHead(head, layoutOf(columns, [head], options));
};

function cellText(cell: Cell, { kind }: Column, available: number): string {
  if (cell === null) return "";
  const text = String(cell);
  if (kind === "text") return textOf(text, available);
  // All times are UTC: the letters of RFC 3339 tell people nothing.
  return printable(kind === "time" ? spacedText(text) : text);
}

// A megabyte of query text is not escaped for the sake of its first few words.
function textOf(text: string, available: number): string {
  return clipped(printable(text.slice(0, available * 4)), available);
}

function layoutOf(
  columns: readonly Column[],
  lines: readonly Texts[],
  { columns: available = 80, narrowest = 6, leftOut }: RenderOptions,
): Layout {
  const natural = columns.map((_, i) => widestOf(lines, i));
  const least = leastWidths(columns, natural, narrowest);
  const fitting = fittingColumns(least, gap.length, available);
  const count = leftOut ? fitting : columns.length;
  if (count < columns.length) leftOut?.(columns.slice(count).map(({ name }) => name));
  const room = available - gap.length * (count - 1);
  return {
    columns: columns.slice(0, count),
    widths: fittedWidths(natural.slice(0, count), least.slice(0, count), room),
    isBounded: Number.isFinite(available),
  };
}

function widestOf(lines: readonly Texts[], index: number): number {
  return lines.reduce((most, line) => Math.max(most, displayWidth(line[index]!)), 1);
}

function drawHead(head: Texts, layout: Layout): string {
  return draw([head, layout.widths.map((width) => "─".repeat(width))], layout);
}

function draw(lines: readonly Texts[], { columns, widths: planned, isBounded }: Layout): string {
  const isText = columns.map(({ kind }) => kind === "text");
  const widths = planned.map((width, i) =>
    isText[i] && isBounded ? width : Math.max(width, widestOf(lines, i)),
  );
  const drawn = lines.map((line) => {
    const cells = columns.map(({ kind }, i) => padded(line[i]!, widths[i]!, kind === "number"));
    return `${cells.join(gap).replace(/(?<! ) +$/, "")}\n`;
  });
  return drawn.join("");
}

function padded(text: string, width: number, isRight: boolean): string {
  const shown = clipped(text, width);
  const space = " ".repeat(Math.max(0, width - displayWidth(shown)));
  return isRight ? space + shown : shown + space;
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

/** Columns that the text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (character <= "~") return 1;
  if (/\p{M}/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The text cut to a width, with `…` in place of what is missing. */
export function clipped(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The least width a column is of use in: text can be cut down to `narrowest`, unless it is typed; the rest not at all. */
function leastWidths(
  columns: readonly Column[],
  natural: readonly number[],
  narrowest: number,
): number[] {
  return natural.map((width, index) =>
    columns[index]!.kind === "text" && columns[index]!.isTyped !== true
      ? Math.min(width, narrowest)
      : width,
  );
}

/** How many columns stand side by side in the width, counted from the left; the first always does. */
function fittingColumns(least: readonly number[], gap: number, available: number): number {
  let used = -gap;
  const first = least.findIndex((width) => (used += gap + width) > available);
  return first < 0 ? least.length : Math.max(1, first);
}

/** Widths that add up to the room, the widest giving way first and none below its least. */
function fittedWidths(
  natural: readonly number[],
  least: readonly number[],
  room: number,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const index = widest(widths, least);
    if (index === undefined) break;
    widths[index]! -= 1;
    excess -= 1;
  }
  return widths;
}

function widest(widths: readonly number[], least: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const [index, width] of widths.entries()) {
    const givesWay = width > least[index]!;
    if (givesWay && (found === undefined || width > widths[found]!)) found = index;
  }
  return found;
}
