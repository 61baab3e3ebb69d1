import { escapeControls } from "../../../base/printable.ts";
import type { Cell, Column } from "../../../base/rows/row.ts";
import { formatBytes, formatDuration } from "../../../base/terminal/amounts.ts";
import { formatSpaced } from "../../../base/time/text.ts";

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
