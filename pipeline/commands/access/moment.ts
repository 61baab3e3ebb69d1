import { timezone as zoneSchema } from "../../../schemas/schedule.ts";
import { UsageError } from "../../errors.ts";
import { parseMoment } from "../../times.ts";

/**
 * Milliseconds of the moment that a question is about: a date means the last millisecond of that day in the time
 * zone. Throws UsageError for what is no time, and for a zone that nobody knows.
 */
export function momentMs(text: string, timezone: string, nowMs: number): number {
  const zone = zoneSchema.safeParse(timezone);
  if (!zone.success)
    throw new UsageError(`--timezone ${JSON.stringify(timezone)}: expected an IANA time zone`);
  const ms = parseMoment(text, nowMs);
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return ms;
  return midnightMs(ms + dayMs, zone.data) - 1;
}

const dayMs = 86_400_000;

// Where the clock is set at midnight, the offset is that of the moment found, not of the one begun with.
function midnightMs(utcMs: number, zone: string): number {
  const first = utcMs - offsetMs(utcMs, zone);
  return utcMs - offsetMs(first, zone);
}

function offsetMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(ms);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    of("year"),
    of("month") - 1,
    of("day"),
    of("hour"),
    of("minute"),
    of("second"),
  );
  return local - Math.floor(ms / 1000) * 1000;
}
