import { Cron } from "croner";
import { type CronField, type CronFields, parseCron } from "../../../schemas/cron.ts";
import { findMoments, isNearChange, toWallMs } from "../../base/time/wall.ts";

export type Rule = {
  /** The text as it was written. */
  readonly text: string;
  /** Five fields without conflict; null where the job has no scheduled time. */
  readonly pattern: string | null;
  /** Whether the field of the hour has a star, so that it follows the hours that there are. */
  readonly isEveryHour: boolean;
  /** What had to be decided, for the person who wrote the text. */
  readonly note: string | undefined;
};

const named: Readonly<Record<string, string>> = { "@daily": "0 0 * * *", "@hourly": "0 * * * *" };
const never = new Set(["", "none"]);

/**
 * The rule of a cron text, `@daily`, `@hourly`, or nothing (seed 002, Scheduled result export, rule 1). `none` or an
 * empty text is a job without scheduled time. Throws CronError.
 */
export function parseRule(text: string): Rule {
  const written = text.trim();
  const none = { text, pattern: null, isEveryHour: false, note: undefined };
  if (never.has(written.toLowerCase())) return none;
  const spelt = named[written.toLowerCase()] ?? written;
  const fields = parseCron(spelt);
  const isEveryHour = spelt.split(/\s+/)[1]!.includes("*");
  const followed = chooseDayField(fields);
  if (followed === undefined) return { ...none, pattern: formatPattern(fields), isEveryHour };
  const isByDate = followed === "dayOfMonth";
  const effective = { ...fields, [isByDate ? "dayOfWeek" : "dayOfMonth"]: null };
  const note = `day of month and day of week conflict; ${isByDate ? "day of month" : "day of week"} applies, because it runs ${isByDate ? "at least as" : "more"} often, and ${isByDate ? "day of week" : "day of month"} is ignored`;
  return { text, pattern: formatPattern(effective), isEveryHour, note };
}

// No clock was ever set by more.
const dayMs = 86_400_000;

/**
 * Lists the next runs after a moment, milliseconds since the epoch; empty for a rule such as 30 February. Times skipped
 * by daylight saving run once, right after the gap; repeated times run once. A rule for every hour (a star in its
 * field) follows the displayed clock.
 */
export function listNextRuns(
  rule: Rule,
  timezone: string,
  afterMs: number,
  count: number,
): number[] {
  if (rule.pattern === null) return [];
  const cron = newWallCron(rule.pattern);
  const found = new Set<number>();
  const sortRuns = (): number[] => [...found].toSorted((a, b) => a - b).slice(0, count);
  const marginMs = isNearChange(timezone, afterMs) ? dayMs : 0;
  let wallMs = toWallMs(timezone, afterMs) - marginMs - 1;
  for (;;) {
    const next = cron.nextRun(new Date(wallMs))?.getTime();
    if (next === undefined) return sortRuns();
    const runs = listRunsAt(rule, timezone, next).filter((ms) => ms > afterMs);
    // A later one on the wall may come earlier only while clocks are set back.
    if (found.size >= count && runs.every((ms) => ms > sortRuns().at(-1)! + dayMs))
      return sortRuns();
    for (const ms of runs) found.add(ms);
    if (found.size >= count && !isNearChange(timezone, sortRuns().at(-1)!)) return sortRuns();
    wallMs = next;
  }
}

/** Finds the last scheduled moment at or before another one; undefined if none exists. */
export function findLastRun(rule: Rule, timezone: string, atMs: number): number | undefined {
  if (rule.pattern === null) return undefined;
  const cron = newWallCron(rule.pattern);
  const marginMs = isNearChange(timezone, atMs) ? dayMs : 0;
  // The search leaves its own second out, and looks at whole seconds alone.
  let wallMs = (Math.floor((toWallMs(timezone, atMs) + marginMs) / 1000) + 1) * 1000;
  let last: number | undefined;
  for (;;) {
    const before = cron.previousRuns(1, new Date(wallMs))[0]?.getTime();
    if (before === undefined) return last;
    const runs = listRunsAt(rule, timezone, before).filter((ms) => ms <= atMs);
    if (last !== undefined && runs.every((ms) => ms < last! - dayMs)) return last;
    if (runs.length > 0) last = Math.max(...runs, last ?? -Infinity);
    if (last !== undefined && !isNearChange(timezone, last)) return last;
    wallMs = before;
  }
}

// The library finds what a clock on the wall shows; what clocks do when they are changed is decided here.
function newWallCron(pattern: string): Cron {
  return new Cron(pattern, { timezone: "UTC", paused: true, mode: "5-part" });
}

function listRunsAt({ isEveryHour }: Rule, timezone: string, wallMs: number): readonly number[] {
  const { moments, gapEnd } = findMoments(timezone, wallMs);
  if (isEveryHour) return moments;
  return gapEnd === undefined ? moments.slice(0, 1) : [gapEnd];
}

function formatPattern({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): string {
  return [minute, hour, dayOfMonth, month, dayOfWeek].map(formatField).join(" ");
}

function formatField(field: CronField): string {
  return field === null ? "*" : field.join(",");
}

// Over 28 years dates fall evenly on all weekdays.
const years = 28;
const firstYear = 2000;

/**
 * Chooses which of two conflicting day fields applies (seed 002, Scheduled result export, rule 4): the one that runs
 * more often, or the day of month if both run equally often. Undefined if at most one is restricted.
 */
function chooseDayField(fields: CronFields): "dayOfMonth" | "dayOfWeek" | undefined {
  const { dayOfMonth, dayOfWeek, month } = fields;
  if (dayOfMonth === null || dayOfWeek === null) return undefined;
  const days = listDays(month);
  const byDate = days.filter((day) => dayOfMonth.includes(day.getUTCDate())).length;
  const byWeekday = days.filter((day) => dayOfWeek.includes(day.getUTCDay())).length;
  return byWeekday > byDate ? "dayOfWeek" : "dayOfMonth";
}

function listDays(month: CronField): Date[] {
  const start = Date.UTC(firstYear, 0, 1);
  const count = (Date.UTC(firstYear + years, 0, 1) - start) / dayMs;
  const all = Array.from({ length: count }, (_, i) => new Date(start + i * dayMs));
  return month === null ? all : all.filter((day) => month.includes(day.getUTCMonth() + 1));
}
