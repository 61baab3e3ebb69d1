import { printable } from "../../../base/printable.ts";
import type { Cell, Column } from "../../../base/rows/row.ts";
import { bytesText, durationText } from "../../../base/terminal/amounts.ts";
import { spacedText } from "../../../base/time/text.ts";

/** Returns a number or time as people read it: sizes and durations with their units, times without letters. */
export function humanText(cell: Exclude<Cell, null>, { name, kind }: Column): string {
  const text = String(cell);
  // All times are UTC, so the letters of RFC 3339 carry no information.
  if (kind === "time") return printable(spacedText(text));
  const amount = kind === "number" ? Number(text) : Number.NaN;
  if (!(amount >= 0 && Number.isFinite(amount))) return printable(text);
  if (/(?:^|_)bytes$/.test(name)) return bytesText(amount);
  if (/(?:^|_)seconds$/.test(name)) return secondsText(amount);
  return printable(text);
}

function secondsText(seconds: number): string {
  return seconds < 60 && !Number.isInteger(seconds)
    ? `${seconds.toFixed(1)} s`
    : durationText(seconds);
}
