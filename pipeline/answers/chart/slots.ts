import { formatClock, formatDay, fromTimestamp } from "../../base/time/text.ts";
import type { Slot } from "./chart.ts";
import { formatShortDay, formatWeekday, listTimeTicks } from "./ticks.ts";

const dayMs = 86_400_000;

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
  return Array.from({ length: count }, (_, i) => formatDay(from + i * dayMs));
}

// `Mon 23 Nov`, `Mon 23 Nov 14:00–16:00`, `16–22 Nov` for more than a day.
function nameTime(ms: number, step: number): string {
  if (step < dayMs) return `${formatWeekday(ms)} ${formatClock(ms)}–${formatClock(ms + step)}`;
  if (step < 2 * dayMs) return formatWeekday(ms);
  return `${formatShortDay(ms)} – ${formatShortDay(ms + step - dayMs)}`;
}

type Label = Pick<Slot, "label" | "isMinor">;

/** Labels of times; every second one is left out on a narrow screen. */
function labelTimes(moments: readonly number[], step: number): Label[] {
  const ticks = listTimeTicks(moments[0] ?? 0, moments.at(-1) ?? 0, Math.min(step, dayMs));
  const labels = new Map(ticks.map(({ at, label }, i) => [at, { label, isMinor: i % 2 === 1 }]));
  return moments.map((ms) => labels.get(ms) ?? {});
}
