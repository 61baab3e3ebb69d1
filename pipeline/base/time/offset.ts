import { partsAt, zoneFormat } from "./zone-parts.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const format = formats.get(timezone) ?? zoneFormat(timezone);
  formats.set(timezone, format);
  return format;
}

/** How far clocks of a zone are ahead of UTC at a moment, milliseconds. */
export function offsetOf(timezone: string, atMs: number): number {
  const wholeMs = Math.floor(atMs / 1000) * 1000;
  const part = partsAt(formatOf(timezone), wholeMs);
  const [year, month, day] = [part("year"), part("month"), part("day")].map(Number);
  const [hour, minute, second] = [part("hour"), part("minute"), part("second")].map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - wholeMs;
}

/** The first moment, in steps from one before a change of the clocks to one after it, that is after it. */
export function changeBetween(
  beforeMs: number,
  afterMs: number,
  stepMs: number,
  isAfter: (ms: number) => boolean,
): number {
  let [low, high] = [beforeMs, afterMs];
  while (high - low > stepMs) {
    const middle = low + Math.floor((high - low) / 2 / stepMs) * stepMs;
    if (isAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}
