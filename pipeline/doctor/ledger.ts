import type { ConfigFile } from "../../schemas/config.ts";
import { settingsOf } from "../home/source-settings.ts";
import type { Database } from "../store/open.ts";
import { durationText } from "../terminal/amounts.ts";
import { readLedger, type SourceFacts } from "../status/ledger-facts.ts";
import { missedRetention, warningsOf } from "../status/warnings.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

/** What the ledger of the published file says: events that may be lost fail, other warnings of `status` warn. */
export async function* ledgerFindings(
  published: Database,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): AsyncGenerator<Finding> {
  const { sources } = await readLedger(published.connection, source, config, nowMs);
  for (const facts of sources) {
    const settings = settingsOf(facts.source, config);
    const lost = missedRetention(facts, settings, nowMs);
    for (const text of lost) yield fail("retention", `${facts.source}: ${text}`);
    if (lost.length === 0) yield retentionFinding(facts, settings.retention);
    for (const text of warningsOf(facts, settings, nowMs))
      if (!lost.includes(text)) yield warn("ledger", `${facts.source}: ${text}`);
  }
}

function retentionFinding({ source, totals }: SourceFacts, retention: number | undefined): Finding {
  const last = totals["last_success"];
  const when = typeof last === "string" ? `last read whole at ${last}` : "never read whole yet";
  if (retention === undefined)
    return ok(
      "retention",
      `${source}: ${when}; set sources.${source}.retention to hear of nights missed for too long`,
    );
  return ok("retention", `${source}: ${when}, the service keeps ${durationText(retention / 1000)}`);
}
