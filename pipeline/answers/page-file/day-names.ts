const weekdays = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** The weekday of a day: `Thursday`. */
export function formatWeekdayName(day: string): string {
  return weekdays[new Date(day).getUTCDay()]!;
}

/** A heading of a page with the weekday of a day in place of `{weekday}`. */
export function fillWeekday(text: string, day: string): string {
  return text.replaceAll("{weekday}", formatWeekdayName(day));
}

/** A day in full: `Friday 27 November 2026`. */
export function formatLongDay(day: string): string {
  const date = new Date(day);
  return `${formatWeekdayName(day)} ${date.getUTCDate()} ${months[date.getUTCMonth()]!} ${date.getUTCFullYear()}`;
}
