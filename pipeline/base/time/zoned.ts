import { partsAt, zoneFormat } from "./zone-parts.ts";

/** A moment as clocks of a zone show it, with their offset: `2026-11-21T08:30:00+01:00`. */
export function zonedTime(ms: number, timezone: string): string {
  const part = partsAt(zoneFormat(timezone, { timeZoneName: "longOffset" }), ms);
  const date = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^GMT/, "") || "+00:00";
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}

/** The same for people, to the minute: `Mon 2026-11-23 02:15 GMT+1`. */
export function localTime(ms: number, timezone: string): string {
  const part = partsAt(zoneFormat(timezone, { weekday: "short", timeZoneName: "shortOffset" }), ms);
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^GMT(?:\+0)?$/, "UTC");
  return `${part("weekday")} ${date} ${part("hour")}:${part("minute")} ${offset}`;
}
