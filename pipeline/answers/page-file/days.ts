import type { Markup } from "../../base/html/markup.ts";
import type { Reach } from "../../base/rows/row.ts";
import { formatDay } from "../../base/time/text.ts";
import { findMoments, toWallMs } from "../../base/time/wall.ts";
import { moveDay } from "./compare-days.ts";
import type { Block } from "./page-file.ts";

/** Days by the clocks of a time zone, as far as the log shows them whole. */
export type Days = {
  /** The last day that the log shows whole: `2026-01-31`. */
  readonly lastWhole: string;
  /** When that day ended. */
  readonly wholeUntilMs: number;
  /** Whether a day is over and the log has all of it. */
  readonly isWhole: (day: string) => boolean;
};

const longestGapDays = 31;

/** Judges days by how far the log reaches, and what of it was not read. */
export function judgeDays(reach: Omit<Reach, "isEmpty">, nowMs: number, zone: string): Days {
  const isWhole = (day: string): boolean => {
    const [startMs, endMs] = [findStart(day, zone), findStart(moveDay(day, 1), zone)];
    const isUnread = reach.unread.some(
      ({ fromMs, untilMs }) => (fromMs ?? -Infinity) < endMs && (untilMs ?? Infinity) > startMs,
    );
    return endMs <= nowMs && !isUnread;
  };
  const yesterday = moveDay(formatDay(toWallMs(zone, nowMs)), -1);
  const recent = Array.from({ length: longestGapDays }, (_, i) => moveDay(yesterday, -i));
  const lastWhole = recent.find(isWhole) ?? yesterday;
  return { lastWhole, wholeUntilMs: findStart(moveDay(lastWhole, 1), zone), isWhole };
}

// Where clocks are set forward over midnight, a day begins at the end of the gap.
function findStart(day: string, zone: string): number {
  const { moments, gapEnd } = findMoments(zone, Date.parse(day));
  return moments[0] ?? gapEnd!;
}

/** What a block shows, and what its section makes of it. */
export type Shown = {
  readonly markup: Markup;
  /** For a chart with usual amounts: the last whole day in a sentence, and whether it is above usual. */
  readonly comparison?: { readonly text: string; readonly isAbove: boolean };
};

export type Placed = Shown & { readonly block: Block };
