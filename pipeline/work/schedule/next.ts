import { secondText } from "../../base/time/text.ts";
import { localTime } from "../../base/time/zoned.ts";
import { CronError } from "../../../schemas/cron.ts";
import { isZone } from "../../../schemas/zone.ts";
import { UsageError } from "../../base/errors.ts";
import { nextRuns, ruleOf, type Rule } from "./rule.ts";
import type { World } from "../../base/world.ts";

/** Prints the next runs of a cron text, one a line, in its time zone and in UTC; throws UsageError. */
export function printNext(text: string, count: number, timezone: string, world: World): void {
  if (!isZone(timezone))
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

function readRule(text: string): Rule {
  try {
    return ruleOf(text);
  } catch (error) {
    if (error instanceof CronError) throw new UsageError(error.message);
    throw error;
  }
}
