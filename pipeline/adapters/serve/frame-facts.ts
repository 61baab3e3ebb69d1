import type { DuckDBConnection } from "@duckdb/node-api";
import { setTimeout as delay } from "node:timers/promises";
import type { ConfigFile } from "../../../schemas/config.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { getSourceSettings } from "../../base/home/settings.ts";
import { type Facts, bindSource, queryFacts } from "../../base/sql/facts.ts";
import { readLedger, type SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { listSources } from "../../core/store/limit-to-source.ts";
import { ask } from "./ask.ts";
import { cacheWhilePublished } from "./pool.ts";
import type { Site } from "./site.ts";

/** How complete the data is, in the terms of the status line. */
export type Completeness = {
  readonly level: "good" | "warn" | "bad";
  /** The earliest of the sources' ends, as text of the database; null where nothing was read. */
  readonly through: string | null;
  readonly verifiedThrough: string | null;
  readonly gaps: number;
  /** Closed windows that wait for their second read. */
  readonly waiting: number;
  /** Closed windows that no scheduled run completes. */
  readonly stuck: number;
  readonly unknownTypes: number;
  readonly lastSuccess: string | null;
};

/** What the frame of each page shows of the published data. */
export type FrameFacts = {
  readonly completeness: Completeness;
  readonly sources: readonly string[];
  /** Open findings of severity critical and high. */
  readonly urgent: number;
  readonly domain: string | undefined;
};

// They change with a publication, and a little with the time of day.
const maxAgeMs = 300_000;
// A page does not wait longer for them: it is sent without, or with those of before.
const patienceMs = 150;
const noSignal = new AbortController().signal;

/** Returns what reads the facts of the frame: once per publication and source, and the first time in the background. */
export function newFactsReader(
  site: Site,
): (source: string | undefined) => Promise<FrameFacts | undefined> {
  const known = new Map<string | undefined, FrameFacts>();
  const readers = new Map<
    string | undefined,
    (source: string | undefined) => Promise<FrameFacts>
  >();
  const { settings, world } = site;
  const read = async (source: string | undefined): Promise<FrameFacts> => {
    const facts = await ask(site, noSignal, (connection) =>
      readFrameFacts(connection, source, settings.config, world.now()),
    );
    known.set(source, facts);
    return facts;
  };
  return async (source) => {
    const reader =
      readers.get(source) ??
      cacheWhilePublished(settings.home.published, world.now, maxAgeMs, read);
    readers.set(source, reader);
    try {
      return await Promise.race([
        reader(source),
        delay(patienceMs, known.get(source), { ref: false }),
      ]);
    } catch (error) {
      // A page that needs the published file reports why it cannot be read.
      if (!(error instanceof AuditlakeError)) throw error;
      return undefined;
    }
  };
}

async function readFrameFacts(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): Promise<FrameFacts> {
  const first = async (name: string, isOfSource: boolean): Promise<Facts | undefined> => {
    const path = `queries/pages/frame.sql#${name}`;
    return (await queryFacts(connection, path, isOfSource ? bindSource(source) : {}))[0];
  };
  const findings = await first("findings", true);
  const unknown = await first("unknown_events", true);
  const domain = await first("domain", false);
  return {
    completeness: await readCompleteness(
      connection,
      source,
      config,
      nowMs,
      Number(unknown?.["unknown_types"] ?? 0),
    ),
    sources: await listSources(connection),
    urgent: Number(findings?.["urgent"] ?? 0),
    domain: typeof domain?.["domain"] === "string" ? domain["domain"] : undefined,
  };
}

async function readCompleteness(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
  unknownTypes: number,
): Promise<Completeness> {
  const { sources } = await readLedger(connection, source, config, nowMs);
  const unfinalized = sources.flatMap((each) => each.unfinalized);
  // A window that was read once without a contradicting sign is complete, and not yet verified.
  const isWaiting = ({ reason }: Facts): boolean => reason === "once";
  const countWindows = (rows: readonly Facts[]): number =>
    rows.reduce((sum, { windows }) => sum + Number(windows), 0);
  const gaps = sources.reduce((sum, each) => sum + each.gaps.length, 0);
  const stuck = countWindows(unfinalized.filter((row) => !isWaiting(row)));
  const isBad = sources.length === 0 || sources.some((each) => hasFailed(each, config, nowMs));
  return {
    level: isBad ? "bad" : gaps > 0 || stuck > 0 ? "warn" : "good",
    through: findEarliest(sources.map(({ totals }) => totals["read_up_to"])),
    verifiedThrough: findEarliest(sources.map(({ totals }) => totals["final_up_to"])),
    gaps,
    waiting: countWindows(unfinalized.filter(isWaiting)),
    stuck,
    unknownTypes,
    lastSuccess: findEarliest(sources.map(({ totals }) => totals["last_success"])),
  };
}

// Imported files are read once, and have no later run to wait for.
function hasFailed({ source, totals }: SourceFacts, config: ConfigFile, nowMs: number): boolean {
  const { last_error: error = null, last_success: success = null } = totals;
  const { window } = getSourceSettings(source, config);
  return error !== null || (success !== null && nowMs - Date.parse(String(success)) > 2 * window);
}

function findEarliest(times: readonly unknown[]): string | null {
  const texts = times.filter((time) => typeof time === "string").toSorted();
  return texts[0] ?? null;
}
