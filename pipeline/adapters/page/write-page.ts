import { join } from "node:path";
import pLimit from "p-limit";
import { newConfined } from "../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../answers/ask/direct-engine.ts";
import { type PageContext, readUsualDomain } from "../../answers/page-file/context.ts";
import { formatLongDay } from "../../answers/page-file/day-names.ts";
import { judgeDays } from "../../answers/page-file/days.ts";
import type { PageFile } from "../../answers/page-file/page-file.ts";
import { writeSections } from "../../answers/page-file/write.ts";
import { readReach } from "../../answers/report/reach.ts";
import { createFolder, replaceFile } from "../../answers/report/write.ts";
import type { Settings } from "../../base/home/settings.ts";
import { htmlDocument } from "../../base/html/document.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import type { Report } from "../../base/report/find.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { formatDay, formatIso } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import type { World } from "../../base/world.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { newLeads } from "../serve/leads.ts";
import { type PageMail, writePageMail } from "./mail.ts";

export type PageOptions = {
  readonly page: PageFile;
  /** Start of the range of blocks that give none, as text. */
  readonly since: string;
  readonly reports: readonly Report[];
  readonly isMailed: boolean;
};

export type WrittenPage = { readonly path: string; readonly mail: PageMail | undefined };

/** Writes a page of the day into a folder as one file. With `isMailed` its message is written as well. */
export async function writePage(
  folder: string,
  { page, since, reports, isMailed }: PageOptions,
  settings: Settings,
  world: World,
): Promise<WrittenPage> {
  await using context = await openContext(settings, world, reports, since);
  const sections: Markup[] = [];
  for await (const section of writeSections(page, context)) sections.push(section);
  const text = writeDocument(page, context, sections);
  const mail = isMailed ? await writePageMail(page, context) : undefined;
  await createFolder(folder);
  const path = join(folder, getPageFile(page.name, world.now()));
  const linked = resolveLinks(text, settings.config.serve.base_url);
  await replaceFile(path, ({ sink }) => sink(linked));
  return { path, mail };
}

/** The file of a day's page; a second one of the same day takes its place. */
function getPageFile(name: string, nowMs: number): string {
  return `${name === "daily" ? "auditlake" : name}-${formatDay(nowMs)}.html`;
}

function writeDocument(page: PageFile, context: PageContext, sections: Markup[]): string {
  const { display, nowMs, days, source, since } = context;
  const { zone } = display;
  const today = formatDay(toWallMs(zone, nowMs));
  const made = formatTimeText(formatIso(nowMs), { ...display, day: true });
  const covered = formatTimeText(days.lastWhole, display);
  return htmlDocument(
    `${page.title}, ${today}`,
    html`<main id="main">
      <div class="head">
        <div>
          <div class="small muted">
            auditlake · ${page.title}${source === undefined ? null : ` · source ${source}`}
          </div>
          <h1>${formatLongDay(today)}</h1>
          <p class="sub">
            Covers ${covered}, 00:00–24:00 ${zone}, and every finding still open.
            ${describeTrends(since)}
          </p>
        </div>
        <span class="sp"></span><a class="btn noprint" href="/">Open in auditlake</a>
      </div>
      ${sections}
      <p class="small muted mt16">
        Made ${made} ${zone}. All times ${zone}. Numbers link to the rows behind them.
      </p>
    </main>`,
  );
}

function describeTrends(since: string): string {
  const [, days] = /^(\d+)d$/.exec(since) ?? [];
  return days === undefined
    ? `Trends since ${since}.`
    : `Trends: ${formatCount(Number(days), "day")}.`;
}

/**
 * The links of a page that is a file: pages of `serve` at its base address. Without one they lead nowhere, and what was a
 * link is text. Values of attributes are quoted and texts escaped, so only links match.
 */
function resolveLinks(text: string, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return text.replaceAll(/ href="\//g, ` href="${baseUrl}/`);
  return text
    .replaceAll(/<a class="btn[^"]*" href="\/[^"]*">[^<]*<\/a>/g, "")
    .replaceAll(/(?<!\s)\s+href="\/[^"]*"/g, "");
}

/** The context of a page that is written once; closing it closes the published file. */
type OpenedContext = PageContext & AsyncDisposable;

/** Opens the published file for one page. Throws AuditlakeError if nothing is published. */
export async function openContext(
  settings: Settings,
  world: World,
  reports: readonly Report[],
  since: string,
): Promise<OpenedContext> {
  const { home, config, flags } = settings;
  const { source } = flags;
  const nowMs = world.now();
  const database = await openPublished(home.published, readLimits(config), source);
  const { connection } = database;
  const zone = config.timezone;
  const reach = await readReach(connection, source);
  const domain = await readUsualDomain(connection);
  const direct = await newDirectEngine(connection, source, () => undefined);
  const confined = newConfined(settings, world);
  // A connection runs one statement at a time.
  const limit = pLimit(1);
  return {
    query: (work) => limit(() => work(connection, world.signal)),
    answer: (report, question, work) =>
      limit(async () => {
        const engine = report.isBuiltIn ? direct : confined;
        return work(await engine.rows(report, question, world.signal));
      }),
    config,
    source,
    nowMs,
    since,
    display: { zone, nowMs, domain },
    reach,
    days: judgeDays(reach, nowMs, zone),
    isLinked: config.serve.base_url !== undefined,
    leads: newLeads({ since }),
    reports: new Map(reports.map((report) => [report.name, report])),
    [Symbol.asyncDispose]: async () => {
      await confined[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
