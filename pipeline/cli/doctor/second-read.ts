import type { ConfigFile } from "../../../schemas/config.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { fitOf, type Cadence } from "../../core/source/fit.ts";
import { ageText, proposalsText, readsOf, readsText, settingsText, timeText } from "./fitting.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

const check = "second_read";
const dayMs = 86_400_000;

/** Whether each window is read twice before the service forgets its beginning, by what the configuration says. */
export function secondReadFinding(source: NamedSource, config: ConfigFile, nowMs: number): Finding {
  const { name, retention } = source;
  const known = readsOf(name, source, config, nowMs);
  // Without a schedule here, it is the scheduled run.
  const reads: Cadence = { ...known, runs: known.runs ?? { everyMs: dayMs } };
  const { fits } = fitOf(reads);
  const where =
    known.runs === undefined ? " (no job of schedule reads it; taken for one run a day)" : "";
  const facts = `${name}: ${readsText(reads)}${where}: ${ageText(reads)}`;
  if (fits && retention === undefined)
    return ok(
      check,
      `${facts}; how long the service keeps its log is not known: set sources.${name}.retention`,
    );
  if (fits) return ok(check, facts);
  const proposals = proposalsText(reads, settingsText);
  const advice =
    proposals === undefined
      ? "no window and no number of runs fits; lower grace_period"
      : `what fits: ${proposals}`;
  if (retention === undefined)
    return warn(
      check,
      `${facts}, so windows leave it before they are final; ${advice}, or a longer lookback; set sources.${name}.retention to what the service keeps`,
    );
  if (known.runs !== undefined || !isPossible(reads))
    return fail(check, `${facts}: events are lost; ${advice}`);
  return warn(
    check,
    `${facts}: events are lost unless it runs every ${timeText(mostApartMs(reads))} or more often; ${advice}`,
  );
}

function isPossible(reads: Cadence): boolean {
  return mostApartMs(reads) >= 60_000;
}

function mostApartMs({ retentionMs = 0, windowMs, graceMs, confirm }: Cadence): number {
  return Math.floor((retentionMs - windowMs - graceMs) / (confirm ? 1 : 2) / 60_000) * 60_000;
}
