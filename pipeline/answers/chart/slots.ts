import { fromTimestamp } from "../../base/time/text.ts";
import type { Slot } from "./chart.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** What a slot of time can have beside its name. */
export type SlotFacts = Pick<Slot, "isPart" | "href">;

/**
 * Slots of equal length that begin at the given times, as clocks of the shown zone have them (`2026-11-23`, or
 * `2026-11-23 14:00:00`), with their names, their labels and the weekends.
 */
export function listSlots(
  starts: readonly string[],
  getFacts: (slot: number) => SlotFacts = () => ({}),
): Slot[] {
  const moments = starts.map(fromTimestamp);
  const step = moments.length > 1 ? moments[1]! - moments[0]! : dayMs;
  const labels = labelTimes(moments, step);
  return moments.map((ms, i) => {
    const weekday = new Date(ms).getUTCDay();
    return {
      name: nameTime(ms, step),
      ...labels[i],
      isWeekend: step <= dayMs && (weekday === 0 || weekday === 6),
      ...getFacts(i),
    };
  });
}

/** The texts of days from one to another, both included: `2026-11-23`. */
export function listDays(first: string, last: string): string[] {
  const [from, to] = [fromTimestamp(first), fromTimestamp(last)];
  const count = Math.max(0, Math.round((to - from) / dayMs) + 1);
  return Array.from({ length: count }, (_, i) =>
    new Date(from + i * dayMs).toISOString().slice(0, 10),
  );
}

/** A day for people: `23 Nov`. */
export function formatShortDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]!}`;
}

/** The same with its weekday: `Mon 23 Nov`. */
export function formatWeekday(ms: number): string {
  return `${weekdays[new Date(ms).getUTCDay()]!} ${formatShortDay(ms)}`;
}

function formatHour(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

// `Mon 23 Nov`, `Mon 23 Nov 14:00–16:00`, `16–22 Nov` for what is longer than a day.
function nameTime(ms: number, step: number): string {
  if (step < dayMs) return `${formatWeekday(ms)} ${formatHour(ms)}–${formatHour(ms + step)}`;
  if (step < 2 * dayMs) return formatWeekday(ms);
  return `${formatShortDay(ms)} – ${formatShortDay(ms + step - dayMs)}`;
}

const mostLabels = 8;

type Label = Pick<Slot, "label" | "isMinor">;

// The finest of these that has room: hours, days, Mondays, months, years.
const rules: readonly {
  readonly fits: (date: Date) => boolean;
  readonly write: (ms: number) => string;
}[] = [
  ...[1, 2, 3, 6, 12].map((hours) => ({
    fits: (date: Date) => date.getTime() % (hours * hourMs) === 0,
    write: (ms: number) => (ms % dayMs === 0 ? formatShortDay(ms) : formatHour(ms)),
  })),
  { fits: (date) => date.getTime() % dayMs === 0, write: formatShortDay },
  { fits: (date) => date.getTime() % dayMs === 0 && date.getUTCDay() === 1, write: formatShortDay },
  ...[1, 3].map((count) => ({
    fits: (date: Date) => isMonth(date, count),
    write: (ms: number) => {
      const date = new Date(ms);
      return `${months[date.getUTCMonth()]!}${date.getUTCMonth() === 0 ? ` ${date.getUTCFullYear()}` : ""}`;
    },
  })),
  { fits: (date) => isMonth(date, 12), write: (ms) => String(new Date(ms).getUTCFullYear()) },
];

function isMonth(date: Date, every: number): boolean {
  return (
    date.getUTCDate() === 1 && date.getTime() % dayMs === 0 && date.getUTCMonth() % every === 0
  );
}

/** Labels of times; every second one is left out on a narrow screen. */
function labelTimes(moments: readonly number[], step: number): Label[] {
  const count = (fits: (date: Date) => boolean): number =>
    moments.filter((ms) => fits(new Date(ms))).length;
  const usable = rules.slice(step >= dayMs ? 5 : 0);
  const rule = usable.find(({ fits }) => count(fits) <= mostLabels) ?? usable.at(-1)!;
  let written = 0;
  return moments.map((ms) =>
    rule.fits(new Date(ms)) ? { label: rule.write(ms), isMinor: written++ % 2 === 1 } : {},
  );
}
