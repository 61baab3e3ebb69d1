import type { Interval } from "./interval.ts";

/** The first moment that is taken, milliseconds since the epoch. */
export const earliestMs = Date.parse("0000-01-01T00:00:00Z");

/** The last one: the text of a later moment has five digits for its year and a sign, which the database refuses. */
export const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether an interval can be stored, both its ends included. */
export function isStorable({ startMs, endMs }: Interval): boolean {
  return startMs >= earliestMs && endMs <= latestMs;
}
