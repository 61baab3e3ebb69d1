/** A moment as clocks of a zone show it, with their offset: `2026-11-21T08:30:00+01:00`. */
export function zonedTime(ms: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const date = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^GMT/, "") || "+00:00";
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}
