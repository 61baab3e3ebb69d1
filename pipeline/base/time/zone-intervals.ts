import { changeBetween, offsetOf } from "./offset.ts";

// What the clocks of a time zone show, from the rules that this program's runtime brings.

/** An interval of time in which the clocks of a zone are equally far ahead of UTC; milliseconds since the epoch. */
export type ZoneInterval = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMinutes: number;
};

/** The version of the rules. */
export const zoneRules = process.versions["tz"] ?? "unknown";

const firstMs = Date.UTC(2000, 0, 1);
const lastMs = Date.UTC(2050, 0, 1);
// Some clocks are set back for a month alone.
const stepMs = 7 * 86_400_000;
const minuteMs = 60_000;

/** The intervals of a zone from 2000 to 2049, without gaps; before and after them the clocks stay as they are. */
export function intervalsOf(zone: string): ZoneInterval[] {
  const offsetAt = (ms: number): number => offsetOf(zone, ms) / minuteMs;
  const intervals: ZoneInterval[] = [];
  let [fromMs, offset] = [firstMs, offsetAt(firstMs)];
  for (let atMs = firstMs; atMs < lastMs; atMs += stepMs) {
    // Two changes may lie within one step of each other.
    for (let seenMs = atMs; offsetAt(atMs + stepMs) !== offset;) {
      const former = offset;
      const isAfter = (ms: number): boolean => offsetAt(ms) !== former;
      const changeMs = changeBetween(seenMs, atMs + stepMs, minuteMs, isAfter);
      intervals.push({ fromMs, toMs: changeMs, offsetMinutes: offset });
      [fromMs, offset, seenMs] = [changeMs, offsetAt(changeMs), changeMs];
    }
  }
  return [...intervals, { fromMs, toMs: lastMs, offsetMinutes: offset }];
}
