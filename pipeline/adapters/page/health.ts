import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { answerOf } from "../../answers/report/render/html.ts";
import { readLedger, type SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { judged } from "../../answers/status/judged.ts";
import { type SourceStatus, sourceFacts } from "../../answers/status/print.ts";
import { unfinalizedLines } from "../../core/completeness/unfinalized.ts";
import { type Facts, factsOf, ofSource } from "../../base/sql/typed-rows.ts";
import { factsTable, firstOf } from "../../answers/report/facts-table.ts";
import type { Moments, Reached } from "./last.ts";

/**
 * How the pipeline is doing, source by source, and how far the data of each reaches. `arrived` has the earliest events
 * that came in since the last page, milliseconds.
 */
export type Health = Reached & { readonly markup: Markup; readonly arrived: readonly number[] };

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
  const judgedSources = await judged(connection, sources, config, nowMs);
  const unknownEvents = await factsOf(
    connection,
    "queries/coverage/unknown_events.sql",
    ofSource(undefined),
  );
  return {
    markup: await healthOf(judgedSources, unknownEvents),
    ends: new Map(sources.flatMap((facts) => endOf(facts, nowMs))),
    ...(await arrivalsOf(
      connection,
      sources.map(({ source }) => source),
      readBefore,
    )),
  };
}

async function arrivalsOf(
  connection: DuckDBConnection,
  sources: readonly string[],
  readBefore: Moments,
): Promise<Pick<Health, "reads" | "arrived">> {
  const reads = new Map<string, number>();
  const arrived: number[] = [];
  for (const source of sources) {
    const beforeMs = readBefore.get(source);
    const [facts] = await factsOf(connection, "queries/status/arrivals.sql", {
      ...ofSource(source),
      since: { type: VARCHAR, value: beforeMs === undefined ? null : toTimestamp(beforeMs) },
    });
    const { last_read: last = null, first_arrived: first = null } = facts ?? {};
    if (last !== null) reads.set(source, Date.parse(String(last)));
    if (first !== null) arrived.push(Date.parse(String(first)));
  }
  return { reads, arrived };
}

// Events may claim a time to come; what comes until then is still new.
function endOf({ source, totals }: SourceFacts, nowMs: number): [string, number][] {
  const { read_up_to: read, last_event: last } = totals;
  const ms = read === null ? Date.parse(String(last)) + 1 : Date.parse(String(read));
  return Number.isNaN(ms) ? [] : [[source, Math.min(ms, nowMs)]];
}

async function healthOf(
  sources: readonly SourceStatus[],
  unknownEvents: readonly Facts[],
): Promise<Markup> {
  return html`<section aria-labelledby="health">
    <h2 id="health">Health of the pipeline</h2>
    ${sources.length === 0 ? html`<p>No run yet.</p>` : sources.map(sourceMarkup)}
    ${await unknownMarkup(unknownEvents)}
  </section>`;
}

function sourceMarkup(status: SourceStatus): Markup {
  const { source, unfinalized, is_configured: isConfigured } = status;
  const { waiting } = unfinalizedLines(source, unfinalized, isConfigured);
  const { warnings } = status;
  return html`<h3>Source ${source}</h3>
    ${
      warnings.length === 0
        ? html`<p class="good">Nothing to act on.</p>`
        : html`<ul>
            ${warnings.map((warning) => html`<li class="warn">${warning}</li>`)}
          </ul>`
    }
    ${waiting.map((line) => html`<p class="quiet">${line}</p>`)}
    <dl class="facts">
      ${sourceFacts(status).map(
        ([label, text]) =>
          html`<dt>${label}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>`;
}

async function unknownMarkup(events: readonly Facts[]): Promise<Markup | undefined> {
  if (events.length === 0) return undefined;
  const { title, facts } = firstOf("Events that the reference does not have", events);
  const about = { title, facts: [], chart: undefined };
  return html`<h3>${title}</h3>
    ${await answerOf(factsTable(facts), about, facts.length)}`;
}
