import pLimit from "p-limit";
import { newConfined } from "../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../answers/ask/direct-engine.ts";
import { type PageContext, readUsualDomain } from "../../answers/page-file/context.ts";
import { judgeDays } from "../../answers/page-file/days.ts";
import { findPages, type FoundPages } from "../../answers/page-file/find.ts";
import { isBlock, type PageFile } from "../../answers/page-file/page-file.ts";
import { writeSections } from "../../answers/page-file/write.ts";
import { readReach } from "../../answers/report/reach.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { getMarkupText, html } from "../../base/html/markup.ts";
import { parseMoment } from "../../base/time/times.ts";
import { ask } from "./ask.ts";
import { type PageName, writePageAround, writeProblem } from "./frame.ts";
import { newLeads } from "./leads.ts";
import { newSharedPieces, type SharePieces } from "./pieces.ts";
import type { Site } from "./site.ts";
import { type PageRange, usualRange, type Visit } from "./visit.ts";

// Other pages need connections meanwhile.
const blocksAtOnce = 2;
const maxAgeMs = 300_000;
// To find the files takes longer than a page that many ask for may.
const foundForMs = 2000;
// A file of the user's may change at any time.
const ownAgeMs = 5000;

export type Pages = {
  readonly find: () => FoundPages;
  readonly write: (visit: Visit, page: PageFile, entry: PageName) => AsyncGenerator<string>;
  /** Makes the overview of the usual range, so that its first reader does not wait. */
  readonly prepare: () => Promise<void>;
};

/** Finds and writes the page files of a site; what many ask for is made once per publication. */
export function newPages(site: Site): Pages {
  const { settings, world } = site;
  const share = newSharedPieces(settings.home.published, world.now);
  let found: { readonly sinceMs: number; readonly pages: FoundPages } | undefined;
  const find = (): FoundPages => {
    if (found === undefined || world.now() - found.sinceMs >= foundForMs)
      found = {
        sinceMs: world.now(),
        pages: findPages(site.queriesFolder, site.found().reports),
      };
    return found.pages;
  };
  return {
    find,
    write: (visit, page, entry) => writePageFile(visit, page, entry, share),
    prepare: async () => {
      const overview = find().pages.find(({ name }) => name === "overview");
      if (overview === undefined) return;
      const display = { zone: settings.config.timezone, nowMs: world.now() };
      for await (const _ of sharePieces({ site, display }, overview, usualRange, share));
    },
  };
}

/** What the content of a page file depends on besides its range. */
type Seen = Pick<Visit, "site" | "display">;

function sharePieces(
  seen: Seen,
  page: PageFile,
  range: PageRange,
  share: SharePieces,
): AsyncGenerator<string> {
  const key = JSON.stringify([
    page.name,
    range,
    seen.display.zone,
    seen.site.settings.flags.source,
  ]);
  const ageMs = page.isBuiltIn ? maxAgeMs : ownAgeMs;
  return share(key, ageMs, () => writePieces(seen, page, range));
}

async function* writePageFile(
  visit: Visit,
  page: PageFile,
  entry: PageName,
  share: SharePieces,
): AsyncGenerator<string> {
  const { site } = visit;
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
      hasOwnStatus: page.sections.some(({ parts }) =>
        parts.some((part) => isBlock(part) && part.kind === "status"),
      ),
      ...(isOverview ? {} : { crumbs: [["Reports", "/reports"]] as const }),
    },
    html``,
  );
  yield before;
  try {
    yield* sharePieces(visit, page, range, share);
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    yield getMarkupText(writeProblem(getMessage(error)));
  }
  yield after;
}

async function* writePieces(seen: Seen, page: PageFile, range: PageRange): AsyncGenerator<string> {
  const context = await newContext(seen, range);
  for await (const section of writeSections(page, context)) yield getMarkupText(section);
}

async function newContext({ site, display }: Seen, range: PageRange): Promise<PageContext> {
  const { settings, world, statements } = site;
  const { source } = settings.flags;
  // Others may wait for the same page, so it ends with the server and not with the first of its readers.
  const { signal } = world;
  const nowMs = Math.min(world.now(), parseMoment(range.until, world.now()));
  const { reach, domain } = await ask(site, signal, async (connection) => ({
    reach: await readReach(connection, source),
    domain: await readUsualDomain(connection),
  }));
  const limit = pLimit(blocksAtOnce);
  return {
    query: (work) => limit(() => ask(site, signal, work)),
    answer: (report, question, work) => {
      const askNow = () =>
        ask(site, signal, async (connection, ending) => {
          await using engine = report.isBuiltIn
            ? await newDirectEngine(connection, source, () => undefined, reach)
            : newConfined(settings, world, source === undefined, statements.memory);
          return await work(await engine.rows(report, question, ending));
        });
      return limit(() => (report.isBuiltIn ? askNow() : statements.run(askNow)));
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
