import { changeBetween, offsetOf } from "./offset.ts";

// What clocks on a wall show, as the milliseconds since the epoch at which they would show it in UTC.

const dayMs = 86_400_000;

/** What clocks of a zone show at a moment. */
export function wallOf(timezone: string, atMs: number): number {
  return atMs + offsetOf(timezone, atMs);
}

/** Whether clocks of a zone are changed within a day of a moment. */
export function isNearChange(timezone: string, atMs: number): boolean {
  const offset = offsetOf(timezone, atMs);
  return [-1, -0.5, 0.5, 1].some((days) => offsetOf(timezone, atMs + days * dayMs) !== offset);
}

/** When clocks of a zone show something: once, twice where they were set back, or never, with the end of that gap. */
export type Shown = { readonly moments: readonly number[]; readonly gapEnd: number | undefined };

/** The moments at which clocks of a zone show what is on the wall. */
export function shownAt(timezone: string, wallMs: number): Shown {
  const [before, after] = [wallMs - dayMs, wallMs + dayMs].map((ms) => offsetOf(timezone, ms));
  const offsets = [...new Set([before!, after!])];
  const moments = offsets
    .map((offset) => wallMs - offset)
    .filter((ms) => wallOf(timezone, ms) === wallMs)
    .toSorted((a, b) => a - b);
  if (moments.length > 0) return { moments, gapEnd: undefined };
  return { moments, gapEnd: gapEndBetween(timezone, wallMs - after!, wallMs - before!) };
}

// The first moment after clocks were set forward, somewhere between two others.
function gapEndBetween(timezone: string, fromMs: number, toMs: number): number {
  const [low, high] = [(Math.floor(fromMs / 1000) - 1) * 1000, Math.ceil(toMs / 1000) * 1000];
  const offset = offsetOf(timezone, high);
  return changeBetween(low, high, 1000, (ms) => offsetOf(timezone, ms) === offset);
}
