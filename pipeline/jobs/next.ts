import { secondText } from "../moments/text.ts";
import { CronError } from "../../schemas/cron.ts";
import { isTimezone } from "../../schemas/schedule.ts";
import { UsageError } from "../errors.ts";
import { nextRuns, ruleOf, type Rule } from "../schedule/rule.ts";
import type { World } from "../world.ts";

/** Prints the next runs of a cron text, one a line, in its time zone and in UTC; throws UsageError. */
export function printNext(text: string, count: number, timezone: string, world: World): void {
  if (!isTimezone(timezone))
    throw new UsageError(
      `--timezone ${JSON.stringify(timezone)} is no time zone; expected one such as UTC or Europe/Oslo`,
    );
  const rule = readRule(text);
  if (rule.note !== undefined) world.stderr.write(`${rule.note}\n`);
  const runs = nextRuns(rule, timezone, world.now(), count);
  if (rule.pattern === null) world.stderr.write("no scheduled time\n");
  else if (runs.length === 0) world.stderr.write("never: no day fits\n");
  for (const ms of runs) world.stdout.write(`${localTime(ms, timezone)}\t${secondText(ms)}\n`);
}

/** A moment as clocks in the zone show it, for example `Mon 2026-11-23 02:15 GMT+1`. */
export function localTime(ms: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "shortOffset",
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  return `${part("weekday")} ${date} ${part("hour")}:${part("minute")} ${part("timeZoneName")}`;
}

function readRule(text: string): Rule {
  try {
    return ruleOf(text);
  } catch (error) {
    if (error instanceof CronError) throw new UsageError(error.message);
    throw error;
  }
}
