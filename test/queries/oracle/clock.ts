import type { Params } from "./rows.ts";

// What the clocks of a zone show, from the platform's own formatting.

const formats = new Map<string, Intl.DateTimeFormat>();

/** Hour and day of the week (0 is Sunday) by the clocks of the zone that was asked for. */
export function clockAt(ms: number, { timezone }: Params): { hour: number; weekday: number } {
  const zone = timezone === undefined ? "UTC" : String(timezone);
  const known = formats.get(zone);
  const format =
    known ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      weekday: "short",
      hour: "2-digit",
    });
  formats.set(zone, format);
  const parts = format.formatToParts(ms);
  const part = (type: string): string => parts.find((each) => each.type === type)!.value;
  const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  return { hour: Number(part("hour")), weekday: days.indexOf(part("weekday")) };
}

/** Whether it is a Saturday or a Sunday there. */
export const isWeekendAt = (ms: number, params: Params): boolean =>
  [0, 6].includes(clockAt(ms, params).weekday);
