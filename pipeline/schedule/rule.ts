import { Cron } from "croner";
import { parseCron, type CronField, type CronFields } from "../../schemas/cron.ts";
import { followedDays } from "./often.ts";

/** When a job runs, settled. */
export type Rule = {
  /** The text as it was written. */
  readonly text: string;
  /** Five fields without conflict; null where the job has no scheduled time. */
  readonly pattern: string | null;
  /** What had to be settled, for the person who wrote the text. */
  readonly note: string | undefined;
};

const named: Readonly<Record<string, string>> = { "@daily": "0 0 * * *", "@hourly": "0 * * * *" };
const never = new Set(["", "none"]);

/**
 * The rule of a cron text, `@daily`, `@hourly`, or nothing (`none` or an empty text: a job without scheduled
 * time; seed 002, Scheduled result export, rule 1). Throws CronError.
 */
export function ruleOf(text: string): Rule {
  const written = text.trim();
  if (never.has(written.toLowerCase())) return { text, pattern: null, note: undefined };
  const fields = parseCron(named[written.toLowerCase()] ?? written);
  const followed = followedDays(fields);
  if (followed === undefined) return { text, pattern: patternOf(fields), note: undefined };
  const isByDate = followed === "dayOfMonth";
  const settled = { ...fields, [isByDate ? "dayOfWeek" : "dayOfMonth"]: null };
  const note = `day of month and day of week conflict; ${isByDate ? "day of month" : "day of week"} is followed, since it runs ${isByDate ? "at least as" : "more"} often, and ${isByDate ? "day of week" : "day of month"} is ignored`;
  return { text, pattern: patternOf(settled), note };
}

/**
 * The next runs after a moment, milliseconds since the epoch; none where the rule never comes true, as on 30
 * February. A time that daylight saving leaves out runs right after the gap, one that comes twice runs once.
 */
export function nextRuns(rule: Rule, timezone: string, afterMs: number, count: number): number[] {
  if (rule.pattern === null) return [];
  const cron = new Cron(rule.pattern, { timezone, paused: true, mode: "5-part" });
  return cron.nextRuns(count, new Date(afterMs)).map((run) => run.getTime());
}

/** The last moment at or before another one at which the rule was to run; undefined where there is none. */
export function lastRun(rule: Rule, timezone: string, atMs: number): number | undefined {
  if (rule.pattern === null) return undefined;
  const cron = new Cron(rule.pattern, { timezone, paused: true, mode: "5-part" });
  // The search leaves its own second out, and looks at whole seconds alone.
  return cron.previousRuns(1, new Date((Math.floor(atMs / 1000) + 1) * 1000))[0]?.getTime();
}

function patternOf({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): string {
  return [minute, hour, dayOfMonth, month, dayOfWeek].map(textOf).join(" ");
}

function textOf(field: CronField): string {
  return field === null ? "*" : field.join(",");
}
