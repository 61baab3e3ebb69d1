import { type Settings, getSourceSettings } from "../../base/home/settings.ts";
import type { Facts } from "../../base/sql/facts.ts";
import { awaitBoth } from "../../base/sql/transaction.ts";
import { requireSource } from "../../core/store/limit-to-source.ts";
import { type FindingFacts, readFindingFacts } from "./findings.ts";
import { type Failure, findFailures } from "./fail-on.ts";
import {
  type LedgerFacts,
  readLedger,
  type SourceFacts,
} from "../../core/completeness/ledger-facts.ts";
import { type OpenedAhead, takeOpened } from "./open-ahead.ts";
import { type SourceStatus, readTextFacts } from "./print.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import { listDirectoryWarnings } from "../../core/completeness/directory.ts";
import { type Notice, formatNotice } from "../../base/notice/notice.ts";
import { listWarnings } from "../../core/completeness/warnings.ts";

/** Facts of the published data about runs, sources with warnings, and query texts. */
export type ReadStatus = LedgerFacts & {
  readonly sources: readonly SourceStatus[];
  readonly query_texts: Facts;
  readonly findings: FindingFacts;
};

/**
 * Reads the status of the published data, on three connections at once, and works on it. Resolves to those of the
 * wanted failures that it shows. Throws UsageError on a source that is neither known nor configured. `ahead` is what
 * was opened before the settings were known.
 */
export async function withStatus(
  settings: Settings,
  ahead: OpenedAhead | undefined,
  nowMs: number,
  failOn: readonly Failure[],
  work: (found: ReadStatus) => Promise<void>,
): Promise<Failure[]> {
  const { config, flags } = settings;
  await using database = await takeOpened(settings, ahead);
  const { connection, connect } = database;
  if (flags.source !== undefined)
    await requireSource(connection, flags.source, Object.keys(config.sources ?? {}));
  const [beside, third] = [await connect(), await connect()];
  const [ledger, others] = await awaitBoth(
    () => readLedger(connection, flags.source, config, nowMs, beside),
    async () => ({
      query_texts: await readTextFacts(third),
      findings: await readFindingFacts(third, flags.source),
    }),
  ).finally(() => [beside, third].forEach((each) => each.closeSync()));
  const sources = await judgeSources(connection, ledger.sources, config, nowMs);
  await work({ ...ledger, ...others, sources });
  return await findFailures(failOn, ledger, { connection, config, source: flags.source, nowMs });
}

/** Adds to each source the warnings that need action. */
export async function judgeSources(
  connection: DuckDBConnection,
  sources: readonly SourceFacts[],
  config: ConfigFile,
  nowMs: number,
): Promise<SourceStatus[]> {
  const directory = await listDirectoryWarnings(connection, undefined);
  return sources.map((facts) => {
    const settings = getSourceSettings(facts.source, config);
    const own = directory.filter(({ source }) => source === facts.source);
    const isConfigured = isInConfiguration(facts.source, config);
    const found = listWarnings(facts, settings, nowMs, isConfigured);
    const all = [...found, ...own.map(({ notice }) => notice)];
    const warnings = all.map(
      (notice) => formatNotice(notice) + formatRefused(notice, facts.source, isConfigured),
    );
    return { ...facts, is_configured: isConfigured, lookback_ms: settings.lookback, warnings };
  });
}

// The command would fail with an unknown source.
function formatRefused({ command }: Notice, source: string, isConfigured: boolean): string {
  return isConfigured || command?.[0] !== "ingest" ? "" : `; configure sources.${source} first`;
}

// Without configured sources, the environment defines the only one.
function isInConfiguration(source: string, { sources }: ConfigFile): boolean {
  return Object.keys(sources).length === 0 || Object.hasOwn(sources, source);
}
