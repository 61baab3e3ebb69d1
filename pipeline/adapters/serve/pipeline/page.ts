import { statSync } from "node:fs";
import type { SourceStatus } from "../../../answers/status/print.ts";
import { readWindowDays, type WindowDay } from "../../../answers/status/window-days.ts";
import { judgeSources } from "../../../answers/status/with-status.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import type { Facts } from "../../../base/sql/facts.ts";
import { formatBytes } from "../../../base/terminal/amounts.ts";
import { readLedger } from "../../../core/completeness/ledger-facts.ts";
import { ask } from "../ask.ts";
import { writePageAround } from "../frame.ts";
import type { Visit } from "../visit.ts";
import { readUnknownTypes, type UnknownType, writeRuns, writeUnknown } from "./runs.ts";
import { writeSource } from "./source-card.ts";

const daysShown = 60;

type PipelineFacts = {
  readonly sources: readonly SourceStatus[];
  readonly runs: readonly Facts[];
  readonly days: ReadonlyMap<string, readonly WindowDay[]>;
  readonly unknown: readonly UnknownType[];
};

/** What `status` reports: how far each source was read and verified, runs, late and unknown events, sizes. */
export async function* writePipelinePage(visit: Visit): AsyncGenerator<string> {
  const { site } = visit;
  site.asked.add("pipeline", "");
  const [before, after] = writePageAround(
    {
      visit,
      page: undefined,
      title: "Pipeline status",
      subtitle: `published ${formatBytes(statSync(site.settings.home.published).size)}`,
    },
    html``,
  );
  const { sources, runs, days, unknown } = await readAll(visit);
  yield before;
  const content: (Markup | null)[] = [
    ...sources.map((source) => writeSource(source, days.get(source.source) ?? [], visit)),
    writeRuns(runs, visit),
    writeUnknown(unknown, visit),
  ];
  if (sources.length === 0) content.unshift(writeEmpty());
  for (const part of content) if (part !== null) yield getMarkupText(part);
  yield after;
}

function readAll({ site, gone }: Visit): Promise<PipelineFacts> {
  const { settings, world } = site;
  const { config, flags } = settings;
  const nowMs = world.now();
  return ask(site, gone, async (connection) => {
    const ledger = await readLedger(connection, flags.source, config, nowMs);
    const sources = await judgeSources(connection, ledger.sources, config, nowMs);
    const gaps = new Map(sources.map((each) => [each.source, each.gaps]));
    return {
      sources,
      runs: ledger.runs,
      days: await readWindowDays(connection, flags.source, gaps, { nowMs, days: daysShown }),
      unknown: await readUnknownTypes(connection, flags.source),
    };
  });
}

function writeEmpty(): Markup {
  return html`<div class="card">
    <div class="bd">
      <p><b>No events yet.</b> Run <code>auditlake ingest</code>, then reload.</p>
    </div>
  </div>`;
}
