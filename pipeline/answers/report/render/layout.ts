import { escapeControls } from "../../../base/printable.ts";
import type { Cell, Column } from "../../../base/rows/row.ts";
import { formatBytes, formatDuration } from "../../../base/terminal/amounts.ts";
import { displayWidth } from "../../../base/terminal/width.ts";
import { formatSpaced } from "../../../base/time/text.ts";

/** One line of a table as text, a cell for each column. */
export type Texts = readonly string[];

export const gap = "  ";

export type Place = {
  readonly index: number;
  readonly width: number;
  readonly kind: Column["kind"];
  /** Names and addresses are cut in the middle, other text at its end. */
  readonly isName: boolean;
};

export type Layout = {
  readonly places: readonly Place[];
  readonly leftOut: readonly number[];
  /** Whether fewer than a third of the columns with content fit. */
  readonly isTooNarrow: boolean;
  /** In an unlimited width, wider text moves the following columns. */
  readonly isBounded: boolean;
};

type Bounds = {
  readonly available: number;
  /** Text other than names is cut to this many columns before a column is left out. */
  readonly narrowest: number;
  readonly mayLeaveOut: boolean;
};

/** A column as its first rows show it. */
type SizedColumn = {
  readonly index: number;
  readonly kind: Column["kind"];
  readonly isName: boolean;
  readonly natural: number;
  readonly least: number;
};

/**
 * Decides on columns and widths from the first rows. Where the table is too wide, long text gives way first, then
 * empty columns, then columns at the end; names and addresses are cut only where a column alone is too wide.
 */
export function planLayout(
  columns: readonly Column[],
  head: Texts,
  rows: readonly Texts[],
  { available, narrowest, mayLeaveOut }: Bounds,
): Layout {
  const sized = columns.map((column, index) => sizeColumn(column, index, head, rows, narrowest));
  const filled = sized.filter(({ index }) => rows.some((row) => row[index] !== ""));
  const shown = mayLeaveOut ? chooseColumns(sized, filled, available) : sized;
  const widths = fitWidths(shown, available - gap.length * (shown.length - 1));
  return {
    places: shown.map(({ index, kind, isName }, i) => ({ index, kind, isName, width: widths[i]! })),
    leftOut: sized.filter((column) => !shown.includes(column)).map(({ index }) => index),
    isTooNarrow: shown.length < sized.length && shown.length * 3 < filled.length,
    isBounded: Number.isFinite(available),
  };
}

// A longer name is cut before a column is left out for it.
const longestName = 40;

function sizeColumn(
  { kind, isTyped }: Column,
  index: number,
  head: Texts,
  rows: readonly Texts[],
  narrowest: number,
): SizedColumn {
  const natural = rows.reduce(
    (most, row) => Math.max(most, displayWidth(row[index]!)),
    Math.max(1, displayWidth(head[index]!)),
  );
  const isName = kind === "text" && rows.every((row) => isNameLike(row[index]!));
  const least =
    kind !== "text" || isTyped === true
      ? natural
      : Math.min(natural, isName ? Math.max(longestName, narrowest) : narrowest);
  return { index, kind, isName, natural, least };
}

/** Whether a text names something: an e-mail address, or at most two short words. */
function isNameLike(text: string): boolean {
  return /^\S+@\S+$/.test(text) || (text.length <= longestName && /^\S*(?: \S+)?$/.test(text));
}

function chooseColumns(
  all: readonly SizedColumn[],
  filled: readonly SizedColumn[],
  available: number,
): readonly SizedColumn[] {
  if (countFitting(all, available) === all.length) return all;
  const candidates = filled.length > 0 ? filled : all;
  return candidates.slice(0, countFitting(candidates, available));
}

/** Counts the columns that fit side by side, from the left; the first always does. */
function countFitting(columns: readonly SizedColumn[], available: number): number {
  let used = -gap.length;
  const first = columns.findIndex(({ least }) => (used += gap.length + least) > available);
  return first < 0 ? columns.length : Math.max(1, first);
}

/** Returns widths that add up to the space: the widest text gives way first, names and typed text last. */
function fitWidths(columns: readonly SizedColumn[], space: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  narrowWidths(
    widths,
    columns.map(({ least }) => least),
    space,
  );
  narrowWidths(
    widths,
    columns.map(({ kind, natural }) => (kind === "text" ? 1 : natural)),
    space,
  );
  return widths;
}

function narrowWidths(widths: number[], least: readonly number[], space: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - space;
  for (; excess > 0; excess -= 1) {
    const index = findWidest(widths, least);
    if (index === undefined) return;
    widths[index]! -= 1;
  }
}

function findWidest(widths: readonly number[], least: readonly number[]): number | undefined {
  let widest: number | undefined;
  for (const [index, width] of widths.entries()) {
    const canShrink = width > least[index]!;
    if (canShrink && (widest === undefined || width > widths[widest]!)) widest = index;
  }
  return widest;
}

/** Returns a number or time as people read it: sizes and durations with their units, times without letters. */
export function formatHuman(cell: Exclude<Cell, null>, { name, kind }: Column): string {
  const text = String(cell);
  // All times are UTC, so the letters of RFC 3339 carry no information.
  if (kind === "time") return escapeControls(formatSpaced(text));
  const amount = kind === "number" ? Number(text) : Number.NaN;
  if (!(amount >= 0 && Number.isFinite(amount))) return escapeControls(text);
  if (/(?:^|_)bytes$/.test(name)) return formatBytes(amount);
  if (/(?:^|_)seconds$/.test(name)) return formatSeconds(amount);
  return escapeControls(text);
}

function formatSeconds(seconds: number): string {
  return seconds < 60 && !Number.isInteger(seconds)
    ? `${seconds.toFixed(1)} s`
    : formatDuration(seconds);
}
