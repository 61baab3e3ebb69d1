import type { CronField, CronFields } from "../../../schemas/cron.ts";

// Over 28 years dates fall evenly on all weekdays.
const years = 28;
const firstYear = 2000;
const dayMs = 86_400_000;

/**
 * Chooses which of two conflicting day fields applies (seed 002, Scheduled result export, rule 4): the one that runs
 * more often, or the day of month if both run equally often. Undefined if at most one is restricted.
 */
export function chooseDayField(fields: CronFields): "dayOfMonth" | "dayOfWeek" | undefined {
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
