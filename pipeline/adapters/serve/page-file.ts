import { type PageContext, readUsualDomain } from "../../answers/page-file/context.ts";
import { judgeDays } from "../../answers/page-file/days.ts";
import { findPages, type FoundPages } from "../../answers/page-file/find.ts";
import { isBlock, type PageFile } from "../../answers/page-file/page-file.ts";
import { writeSections } from "../../answers/page-file/write.ts";
import { newConfined } from "../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../answers/ask/direct-engine.ts";
import { readReach } from "../../answers/report/reach.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { getMarkupText, html } from "../../base/html/markup.ts";
import { parseMoment } from "../../base/time/times.ts";
import { ask } from "./ask.ts";
import { type PageName, writePageAround } from "./frame.ts";
import { writeProblem } from "./layout.ts";
import { newLeads } from "./leads.ts";
import { newSharedPieces, type SharePieces } from "./shared-pieces.ts";
import type { Site } from "./site.ts";
import type { PageRange, Visit } from "./visit.ts";

// Others may wait for the same page, so it is not stopped when the first of them leaves.
const noSignal = new AbortController().signal;

const maxAgeMs = 300_000;
// To find the files takes longer than a page that many ask for may.
const foundForMs = 2000;
// A file of the user's may change at any time.
const ownAgeMs = 5000;

/** The page files of a site. */
export type Pages = {
  readonly find: () => FoundPages;
  readonly write: (visit: Visit, page: PageFile, entry: PageName) => AsyncGenerator<string>;
};

/** Finds and writes the page files of a site; what many ask for is made once per publication. */
export function newPages(site: Site): Pages {
  const { settings, world } = site;
  const share = newSharedPieces(settings.home.published, world.now);
  let found: { readonly sinceMs: number; readonly pages: FoundPages } | undefined;
  return {
    find: () => {
      if (found === undefined || world.now() - found.sinceMs >= foundForMs)
        found = {
          sinceMs: world.now(),
          pages: findPages(site.queriesFolder, site.found().reports),
        };
      return found.pages;
    },
    write: (visit, page, entry) => writePageFile(visit, page, entry, share),
  };
}

async function* writePageFile(
  visit: Visit,
  page: PageFile,
  entry: PageName,
  share: SharePieces,
): AsyncGenerator<string> {
  const { site, display } = visit;
  const isOverview = entry === "overview";
  const range = visit.isRangeChosen || isOverview ? visit.range : { ...visit.range, since: "30d" };
  const asked = `since=${range.since} until=${range.until}`;
  if (isOverview) site.asked.add("overview", asked);
  else site.asked.add("page", `${page.name} ${asked}`);
  const [before, after] = writePageAround(
    {
      visit: { ...visit, range },
      page: entry,
      title: page.title,
      range: true,
      hasOwnStatus: hasStatus(page),
      ...(isOverview ? {} : { crumbs: [["Reports", "/reports"]] as const }),
    },
    html``,
  );
  yield before;
  const key = JSON.stringify([page.name, range, display.zone, site.settings.flags.source]);
  const ageMs = page.isBuiltIn ? maxAgeMs : ownAgeMs;
  try {
    yield* share(key, ageMs, () => writePieces(visit, page, range));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    yield getMarkupText(writeProblem(getMessage(error)));
  }
  yield after;
}

function hasStatus({ sections }: PageFile): boolean {
  return sections.some(({ parts }) =>
    parts.some((part) => isBlock(part) && part.kind === "status"),
  );
}

async function* writePieces(
  visit: Visit,
  page: PageFile,
  range: PageRange,
): AsyncGenerator<string> {
  const context = await newContext(visit, range);
  for await (const section of writeSections(page, context)) yield getMarkupText(section);
}

async function newContext({ site, display }: Visit, range: PageRange): Promise<PageContext> {
  const { settings, world, statements } = site;
  const { source } = settings.flags;
  const nowMs = Math.min(world.now(), parseMoment(range.until, world.now()));
  const { reach, domain } = await ask(site, noSignal, async (connection) => ({
    reach: await readReach(connection, source),
    domain: await readUsualDomain(connection),
  }));
  return {
    query: (work) => ask(site, noSignal, work),
    answer: (report, question, work) => {
      const askNow = () =>
        ask(site, noSignal, async (connection, signal) => {
          await using engine = report.isBuiltIn
            ? await newDirectEngine(connection, source, () => undefined)
            : newConfined(settings, world, source === undefined, statements.memory);
          return await work(await engine.rows(report, question, signal));
        });
      return report.isBuiltIn ? askNow() : statements.run(askNow);
    },
    config: settings.config,
    source,
    nowMs,
    since: range.since,
    display: { ...display, domain },
    reach,
    days: judgeDays(reach, nowMs, display.zone),
    isLinked: true,
    leads: newLeads(range),
    reports: new Map(site.found().reports.map((report) => [report.name, report])),
  };
}
