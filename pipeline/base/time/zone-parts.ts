// What clocks of a time zone show, part by part, from the rules that this program's runtime brings.

/** What shows moments as clocks of a zone do, to the second. */
export function zoneFormat(
  timezone: string,
  more: Intl.DateTimeFormatOptions = {},
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...more,
  });
}

/** The parts of a moment by their names; empty for one that the format does not show. */
export function partsAt(
  format: Intl.DateTimeFormat,
  ms: number,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return (type) => parts.get(type) ?? "";
}
