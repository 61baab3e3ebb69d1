import { timezone as zoneSchema } from "../../../schemas/schedule.ts";
import { UsageError } from "../errors.ts";
import { earliestMs, latestMs } from "./bounds.ts";
import { periodOf } from "./periods.ts";
import { parseMoment } from "./times.ts";
import { shownAt, wallOf } from "./wall.ts";

/**
 * Milliseconds of the moment that a question is about. A date, `yesterday` or any other period of the calendar means
 * its last millisecond in the time zone. Throws UsageError for what is no time, and for a zone that nobody knows.
 */
export function momentMs(text: string, timezone: string, nowMs: number): number {
  const zone = zoneSchema.safeParse(timezone);
  if (!zone.success)
    throw new UsageError(`--timezone ${JSON.stringify(timezone)}: expected an IANA time zone`);
  const period = periodOf(text, wallOf(zone.data, nowMs));
  if (period === undefined) return parseMoment(text, nowMs);
  // In another zone the first and the last day that are taken end outside of what is.
  const lastMs = lastOfDay(period.endMs - dayMs, zone.data);
  return Math.min(Math.max(lastMs, earliestMs), latestMs);
}

const dayMs = 86_400_000;

// Midnight comes twice where clocks are set back over it, and not at all where they are set forward. The last moment
// that shows the day itself counts.
function lastOfDay(utcMs: number, zone: string): number {
  const { moments, gapEnd } = shownAt(zone, utcMs + dayMs);
  const end = moments.findLast((ms) => wallOf(zone, ms - 1) < utcMs + dayMs) ?? gapEnd!;
  return end - 1;
}
