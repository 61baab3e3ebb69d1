import type { Settings } from "../../base/home/settings.ts";
import type { Facts } from "../../base/sql/facts.ts";
import { bothEnded } from "../../base/sql/transaction.ts";
import { requireSource } from "../../core/store/of-source.ts";
import { foundIn } from "./fail-on.ts";
import type { Failure } from "./failures.ts";
import { judged } from "./judged.ts";
import { readLedger, type LedgerFacts } from "../../core/completeness/ledger-facts.ts";
import { type Ahead, openedFor } from "./open-ahead.ts";
import type { SourceStatus } from "./print.ts";
import { textFacts } from "./texts.ts";

/** What the published data says of runs, of sources with what to warn of, and of the texts of queries. */
export type FoundStatus = LedgerFacts & {
  readonly sources: readonly SourceStatus[];
  readonly query_texts: Facts;
};

/**
 * Reads the status of what is published, on three connections at once, and works on it. Resolves to those of the wanted
 * failures that it shows. Throws UsageError on a source that is neither known nor configured. `ahead` is what was opened
 * before the settings were known.
 */
export async function withStatus(
  settings: Settings,
  ahead: Ahead | undefined,
  nowMs: number,
  failOn: readonly Failure[],
  work: (found: FoundStatus) => Promise<void>,
): Promise<Failure[]> {
  const { config, flags } = settings;
  await using database = await openedFor(settings, ahead);
  const { connection, connect } = database;
  if (flags.source !== undefined)
    await requireSource(connection, flags.source, Object.keys(config.sources ?? {}));
  const [beside, third] = [await connect(), await connect()];
  const [ledger, queryTexts] = await bothEnded(
    () => readLedger(connection, flags.source, config, nowMs, beside),
    () => textFacts(third),
  ).finally(() => [beside, third].forEach((each) => each.closeSync()));
  const sources = await judged(connection, ledger.sources, config, nowMs);
  await work({ ...ledger, sources, query_texts: queryTexts });
  return await foundIn(failOn, ledger, { connection, config, source: flags.source, nowMs });
}
