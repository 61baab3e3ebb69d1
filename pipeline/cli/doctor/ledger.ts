import type { ConfigFile } from "../../../schemas/config.ts";
import { settingsOf } from "../../base/home/source-settings.ts";
import type { Database } from "../../core/store/open.ts";
import { durationText } from "../../base/terminal/amounts.ts";
import { readLedger } from "../../core/completeness/ledger-facts.ts";
import { judged } from "../../answers/status/judged.ts";
import type { SourceStatus } from "../../answers/status/print.ts";
import { missedRetention } from "../../core/completeness/warnings.ts";
import { sentenceOf } from "../../base/notice/notice.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

/** What the ledger of the published file says: events that may be lost fail, other warnings of `status` warn. */
export async function* ledgerFindings(
  published: Database,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): AsyncGenerator<Finding> {
  const { connection } = published;
  const { sources } = await readLedger(connection, source, config, nowMs);
  for (const facts of await judged(connection, sources, config, nowMs)) {
    const settings = settingsOf(facts.source, config);
    const lost = missedRetention(facts, settings, nowMs).map(sentenceOf);
    for (const text of lost) yield fail("retention", `${facts.source}: ${text}`);
    if (lost.length === 0) yield retentionFinding(facts, settings.retention);
    for (const text of facts.warnings)
      if (!lost.includes(text)) yield warn("ledger", `${facts.source}: ${text}`);
  }
}

function retentionFinding(status: SourceStatus, retention: number | undefined): Finding {
  const { source, totals, is_configured: isConfigured } = status;
  const last = totals["last_success"];
  const when =
    typeof last === "string"
      ? `the last whole scheduled run ended at ${last}`
      : "no scheduled run was whole so far";
  if (!isConfigured)
    return ok(
      "retention",
      `${source}: ${when}; no run reads it, sources.${source} is not configured`,
    );
  if (retention === undefined)
    return ok(
      "retention",
      `${source}: ${when}; set sources.${source}.retention to hear of nights missed for too long`,
    );
  return ok("retention", `${source}: ${when}, the service keeps ${durationText(retention / 1000)}`);
}
