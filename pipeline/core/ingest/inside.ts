import type { NamedSource } from "../../base/home/settings.ts";
import { timesOf } from "../records/event-times.ts";
import type { AuditPage } from "../source/audits.ts";
import type { Interval } from "../../base/time/periods.ts";

/** Whether the times that are known lie in a range; both edges count, since some services include the last second. */
export function liesInside(times: readonly (number | undefined)[], range: Interval): boolean {
  const { startMs, endMs } = wholeSeconds(range);
  return times.every((ms) => ms === undefined || (ms >= startMs && ms <= endMs));
}

/** The times of the records on a page, as far as they show one. */
export function timesIn(
  { bytes, format }: Pick<AuditPage, "bytes" | "format">,
  { audits }: NamedSource,
): (number | undefined)[] {
  return timesOf(bytes, format, audits.records_at);
}

function wholeSeconds({ startMs, endMs }: Interval): Interval {
  return { startMs: Math.floor(startMs / 1000) * 1000, endMs: Math.ceil(endMs / 1000) * 1000 };
}
