import { formatNotice } from "../../base/notice/notice.ts";
import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { formatDay, toTimestamp } from "../../base/time/text.ts";
import { renderAnswer } from "../../answers/report/render/html.ts";
import { readLedger, type SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { judgeSources } from "../../answers/status/with-status.ts";
import { type SourceStatus, listSourceFacts } from "../../answers/status/print.ts";
import { listUnfinalizedNotices } from "../../core/completeness/warnings.ts";
import { type Facts, queryFacts, bindSource } from "../../base/sql/facts.ts";
import { newFactsTable, takeFirst } from "../../answers/report/result.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isCode, getMessage, UsageError } from "../../base/errors.ts";

/**
 * How the pipeline is doing, source by source, and how far the data of each reaches. `arrived` has the earliest events
 * that came in since the last page, milliseconds.
 */
export type Health = ReachedMoments & {
  readonly markup: Markup;
  readonly arrived: readonly number[];
};

/**
 * Reads the health of the pipeline: it says how far all else can be relied on. `readBefore` is when the sources had been
 * read as of the last page.
 */
export async function readHealth(
  connection: DuckDBConnection,
  config: ConfigFile,
  nowMs: number,
  readBefore: Moments = new Map(),
): Promise<Health> {
  const { sources } = await readLedger(connection, undefined, config, nowMs);
  const judgedSources = await judgeSources(connection, sources, config, nowMs);
  const unknownEvents = await queryFacts(
    connection,
    "queries/coverage/coverage.sql#unknown_events",
    bindSource(undefined),
  );
  return {
    markup: await writeHealth(judgedSources, unknownEvents),
    ends: new Map(sources.flatMap((facts) => listEnd(facts, nowMs))),
    ...(await readArrivals(
      connection,
      sources.map(({ source }) => source),
      readBefore,
    )),
  };
}

async function readArrivals(
  connection: DuckDBConnection,
  sources: readonly string[],
  readBefore: Moments,
): Promise<Pick<Health, "reads" | "arrived">> {
  const reads = new Map<string, number>();
  const arrived: number[] = [];
  for (const source of sources) {
    const beforeMs = readBefore.get(source);
    const [facts] = await queryFacts(connection, "queries/status/arrivals.sql", {
      ...bindSource(source),
      since: { type: VARCHAR, value: beforeMs === undefined ? null : toTimestamp(beforeMs) },
    });
    const { last_read: last = null, first_arrived: first = null } = facts ?? {};
    if (last !== null) reads.set(source, Date.parse(String(last)));
    if (first !== null) arrived.push(Date.parse(String(first)));
  }
  return { reads, arrived };
}

// Events may claim a time to come; what comes until then is still new.
function listEnd({ source, totals }: SourceFacts, nowMs: number): [string, number][] {
  const { read_up_to: read, last_event: last } = totals;
  const ms = read === null ? Date.parse(String(last)) + 1 : Date.parse(String(read));
  return Number.isNaN(ms) ? [] : [[source, Math.min(ms, nowMs)]];
}

async function writeHealth(
  sources: readonly SourceStatus[],
  unknownEvents: readonly Facts[],
): Promise<Markup> {
  return html`<section aria-labelledby="health">
    <h2 id="health">Health of the pipeline</h2>
    ${sources.length === 0 ? html`<p>No run yet.</p>` : sources.map(writeSource)}
    ${await writeUnknown(unknownEvents)}
  </section>`;
}

function writeSource(status: SourceStatus): Markup {
  const { source, unfinalized, is_configured: isConfigured } = status;
  const { waiting } = listUnfinalizedNotices(source, unfinalized, isConfigured);
  const { warnings } = status;
  return html`<h3>Source ${source}</h3>
    ${
      warnings.length === 0
        ? html`<p class="good">Nothing to act on.</p>`
        : html`<ul>
            ${warnings.map((warning) => html`<li class="warn">${warning}</li>`)}
          </ul>`
    }
    ${waiting.map((notice) => html`<p class="quiet">${formatNotice(notice)}</p>`)}
    <dl class="facts">
      ${listSourceFacts(status).map(
        ([label, text]) =>
          html`<dt>${label}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>`;
}

async function writeUnknown(events: readonly Facts[]): Promise<Markup | undefined> {
  if (events.length === 0) return undefined;
  const { title, facts } = takeFirst("Events that the reference does not have", events);
  const about = { title, facts: [], chart: undefined };
  return html`<h3>${title}</h3>
    ${await renderAnswer(newFactsTable(facts), about, facts.length)}`;
}

const prefix = "auditlake-";
const pageName = /^auditlake-\d{4}-\d{2}-\d{2}\.html$/;
const endPattern =
  /<meta\s+name="auditlake-until"\s+content="([0-9TZ:.-]{20,30})"\s+data-source="([^"]*)"(?:\s+data-read="([0-9TZ:.-]{20,30})")?/g;

/** A moment of each source, milliseconds. */
export type Moments = ReadonlyMap<string, number>;

/** How far the data of a page reaches, by the clock of each service, and when each was read, by that of this machine. */
type ReachedMoments = { readonly ends: Moments; readonly reads: Moments };

/** The file of a day's page; a second one of the same day takes its place. */
export function getPageFile(nowMs: number): string {
  return `${prefix}${formatDay(nowMs)}.html`;
}

/** What a page says in its head of how far its data reached, for the page after it. */
export function writeEnds({ ends, reads }: ReachedMoments): Markup[] {
  return [...ends].map(([source, ms]) => {
    const readMs = reads.get(source);
    const until = new Date(ms).toISOString();
    return readMs === undefined
      ? html`<meta name="auditlake-until" content="${until}" data-source="${source}" />`
      : html`<meta
          name="auditlake-until"
          content="${until}"
          data-source="${source}"
          data-read="${new Date(readMs).toISOString()}"
        />`;
  });
}

/**
 * How far the newest page of another day reached; undefined where there is none. One that cannot be read is a warning,
 * and the page before it counts. Throws UsageError where the folder is none.
 */
export function readLastEnds(
  folder: string,
  ownFile: string,
  warn: (message: string) => void,
): ReachedMoments | undefined {
  for (const name of listPages(folder, ownFile)) {
    const reached = readReached(join(folder, name), warn);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

/**
 * Returns the moment from which events are new, in milliseconds: the earliest previous end of the sources that have
 * advanced since. Events of an earlier time that arrived since are new, too. A source without progress adds nothing
 * new.
 */
export function countNewSince(before: Moments, now: Moments, arrived: readonly number[]): number {
  const newest = Math.max(...before.values());
  const moved = [...now].flatMap(([source, ms]) => {
    const end = before.get(source) ?? newest;
    return ms > end ? [end] : [];
  });
  return Math.min(...arrived, ...(moved.length === 0 ? [newest] : moved));
}

// The newest page comes first.
function listPages(folder: string, ownFile: string): string[] {
  return listNames(folder)
    .filter((name) => pageName.test(name) && name < ownFile)
    .toSorted()
    .toReversed();
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    if (!isCode(error, "ENOTDIR"))
      throw new UsageError(`cannot read ${folder}: ${getMessage(error)}`);
    throw new UsageError(`${folder} is no folder; --out expects the folder of the pages`);
  }
}

function readReached(path: string, warn: (message: string) => void): ReachedMoments | undefined {
  try {
    const found = [...readFileSync(path, "utf8").matchAll(endPattern)];
    const ends = parseMoments(found.map(([, text, source]) => [source!, text]));
    if (ends.size > 0)
      return { ends, reads: parseMoments(found.map(([, , source, read]) => [source!, read])) };
    warn(`${path} does not say how far it reached; ${counted}`);
  } catch (error) {
    warn(`${path} cannot be read (${getMessage(error)}); ${counted}`);
  }
  return undefined;
}

function parseMoments(
  texts: readonly (readonly [source: string, text: string | undefined])[],
): Moments {
  const all = texts.map(([source, text = ""]) => [source, Date.parse(text)] as const);
  return new Map(all.filter(([, ms]) => !Number.isNaN(ms)));
}

const counted = "what is new is counted from the page before it, else from a day ago";
