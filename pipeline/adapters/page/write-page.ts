import { notify, warning } from "../../base/notice/notice.ts";
import { join } from "node:path";
import { openEngine } from "../../answers/ask/engine.ts";
import type { Settings } from "../../base/home/settings.ts";
import { htmlDocument } from "../../base/html/document.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { dayText } from "../../base/time/text.ts";
import { findReports } from "../../base/report/find.ts";
import { reachLines } from "../../answers/report/reach.ts";
import { questionOf } from "../../base/report/params.ts";
import { createFolder, replaceFile } from "../../answers/report/write.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import { bodyOf, contentsOf, parts, rangeFor } from "./parts.ts";
import {
  endsMarkup,
  type Health,
  lastEnds,
  type Moments,
  newSince,
  pageFile,
  readHealth,
} from "./health.ts";

/** A page that was written, and a line for each report that could not be answered. */
export type WrittenPage = { readonly path: string; readonly failures: readonly string[] };

const dayMs = 86_400_000;

/** Writes the page of the day into a folder; `since` is where the range of its charts begins. Throws UsageError. */
export async function writePage(
  folder: string,
  since: string,
  settings: Settings,
  world: World,
): Promise<WrittenPage> {
  const nowMs = world.now();
  const name = pageFile(nowMs);
  const warn = (why: string): void => notify(world, warning("page_unread", { why }));
  const before = lastEnds(folder, name, warn);
  const { reports } = findReports();
  // A range that no report accepts is refused before any report runs.
  const shown = parts.flatMap((part) => part.reports);
  const asked = reports
    .filter(({ name }) => shown.includes(name))
    .map((report) => questionOf(report, rangeFor(report, since), nowMs).values);
  const failures: string[] = [];
  // How far the data reaches is read first. What is published after that is shown again by the next page, not lost.
  const health = await healthOf(settings, nowMs, before?.reads);
  const newSinceMs =
    before === undefined ? nowMs - dayMs : newSince(before.ends, health.ends, health.arrived);
  await using engine = await openEngine(reports, settings, world);
  const sections = await bodyOf({
    engine,
    reports,
    nowMs,
    since: { whole: since, new: new Date(newSinceMs).toISOString() },
    signal: world.signal,
    failed: (report, message) => void failures.push(`report ${report}: ${message}`),
  });
  const text = documentOf(nowMs, reachLines(engine.reach(), asked), health, sections);
  await createFolder(folder);
  const path = join(folder, name);
  await replaceFile(path, ({ sink }) => sink(text));
  return { path, failures };
}

async function healthOf(
  { home, config }: Settings,
  nowMs: number,
  readBefore: Moments | undefined,
): Promise<Health> {
  await using database = await openPublished(home.published, readLimits(config));
  // The database is closed when this returns.
  return await readHealth(database.connection, config, nowMs, readBefore);
}

function documentOf(
  nowMs: number,
  reach: readonly string[],
  health: Health,
  sections: Markup[],
): string {
  const title = `Audit log, ${dayText(nowMs)}`;
  return htmlDocument(
    title,
    html`<header>
        <h1>${title}</h1>
        <p class="quiet">Made ${new Date(nowMs).toISOString()}. All times are UTC.</p>
        ${reach.map((line) => html`<p class="quiet">${sentence(line)}</p>`)} ${contentsOf()}
      </header>
      <main>${health.markup}${sections}</main>`,
    { head: html`${endsMarkup(health)}` },
  );
}

function sentence(line: string): string {
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)}.`;
}
