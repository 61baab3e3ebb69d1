import { formatClock } from "../../base/time/text.ts";

export type TimeTick = { readonly at: number; readonly label: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** A day for people: `23 Nov`. */
export function formatShortDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]!}`;
}

/** The same with its weekday: `Mon 23 Nov`. */
export function formatWeekday(ms: number): string {
  return `${weekdays[new Date(ms).getUTCDay()]!} ${formatShortDay(ms)}`;
}

type Rule = {
  /** The least distance of two of its moments. */
  readonly least: number;
  readonly list: (fromMs: number, toMs: number) => number[];
  readonly write: (ms: number) => string;
};

// Monday, 5 January 1970.
const firstMonday = 4 * dayMs;

// From the finest: minutes, hours, days, Mondays, months, years.
const rules: readonly Rule[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => newStep(minutes * minuteMs)),
  newStep(dayMs),
  newStep(7 * dayMs, firstMonday),
  ...[1, 3, 12, 60, 240].map(newMonths),
];

function newStep(least: number, offset = 0): Rule {
  const list = (fromMs: number, toMs: number): number[] => {
    const first = Math.ceil((fromMs - offset) / least);
    const count = Math.floor((toMs - offset) / least) - first + 1;
    return Array.from(
      { length: Math.max(0, Math.min(count, 1000)) },
      (_, i) => (first + i) * least + offset,
    );
  };
  return { least, list, write: (ms) => (ms % dayMs === 0 ? formatShortDay(ms) : formatClock(ms)) };
}

function newMonths(every: number): Rule {
  const list = (fromMs: number, toMs: number): number[] => {
    const from = new Date(fromMs);
    const first = Math.ceil((from.getUTCFullYear() * 12 + from.getUTCMonth()) / every) * every;
    const all = Array.from({ length: 1000 }, (_, i) =>
      Date.UTC(1970, first + i * every - 1970 * 12),
    );
    return all.filter((ms) => ms >= fromMs && ms <= toMs);
  };
  return { least: every * 28 * dayMs, list, write: every < 12 ? writeMonth : writeYear };
}

function writeMonth(ms: number): string {
  const date = new Date(ms);
  const year = date.getUTCMonth() === 0 ? ` ${date.getUTCFullYear()}` : "";
  return `${months[date.getUTCMonth()]!}${year}`;
}

function writeYear(ms: number): string {
  return String(new Date(ms).getUTCFullYear());
}

const most = 8;

/** The moments of a range that have a label: the finest regular ones of at most eight; `leastMs` apart at least. */
export function listTimeTicks(fromMs: number, toMs: number, leastMs = 0): TimeTick[] {
  const usable = rules.filter(({ least }) => least >= leastMs && (toMs - fromMs) / least < 1000);
  for (const { list, write } of usable) {
    const moments = list(fromMs, toMs);
    if (moments.length <= most) return moments.map((at) => ({ at, label: write(at) }));
  }
  return [];
}
