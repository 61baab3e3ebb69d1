import { notify, warning } from "../../base/notice/notice.ts";
import { join } from "node:path";
import { openEngine } from "../../answers/ask/engine.ts";
import type { Settings } from "../../base/home/settings.ts";
import { htmlDocument } from "../../base/html/document.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { formatDay } from "../../base/time/text.ts";
import { findReports } from "../../base/report/find.ts";
import { listReachLines } from "../../answers/report/reach.ts";
import { buildQuestion } from "../../base/report/params.ts";
import { type OpenFindings, readOpenFindings } from "../../answers/findings/ask.ts";
import { writeFirstSection } from "../../answers/findings/markup.ts";
import { createFolder, replaceFile } from "../../answers/report/write.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import { writeBody, writeContents, parts, chooseRange } from "./parts.ts";
import {
  writeEnds,
  type Health,
  readLastEnds,
  type Moments,
  countNewSince,
  getPageFile,
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
  const name = getPageFile(nowMs);
  const warn = (why: string): void => notify(world, warning("page_unread", { why }));
  const before = readLastEnds(folder, name, warn);
  const { reports } = findReports();
  // A range that no report accepts is refused before any report runs.
  const shown = parts.flatMap((part) => part.reports);
  const asked = reports
    .filter(({ name }) => shown.includes(name))
    .map((report) => buildQuestion(report, chooseRange(report, since), nowMs).values);
  const failures: string[] = [];
  // How far the data reaches is read first. What is published after that is shown again by the next page, not lost.
  const { health, findings } = await loadPublished(settings, since, world, before?.reads);
  const newSinceMs =
    before === undefined ? nowMs - dayMs : countNewSince(before.ends, health.ends, health.arrived);
  await using engine = await openEngine(reports, settings, world);
  const sections = await writeBody({
    engine,
    reports,
    nowMs,
    since: { whole: since, new: new Date(newSinceMs).toISOString() },
    signal: world.signal,
    failed: (report, message) => void failures.push(`report ${report}: ${message}`),
  });
  const text = writeDocument(nowMs, listReachLines(engine.reach(), asked), health, [
    writeFindings(findings, since),
    health.markup,
    ...sections,
  ]);
  await createFolder(folder);
  const path = join(folder, name);
  await replaceFile(path, ({ sink }) => sink(text));
  return { path, failures };
}

async function loadPublished(
  { home, config }: Settings,
  since: string,
  { now, signal }: World,
  readBefore: Moments | undefined,
): Promise<{ readonly health: Health; readonly findings: OpenFindings }> {
  const nowMs = now();
  await using database = await openPublished(home.published, readLimits(config));
  const { connection } = database;
  return {
    health: await readHealth(connection, config, nowMs, readBefore),
    findings: await readOpenFindings(connection, since, undefined, { nowMs, signal }),
  };
}

function writeFindings(findings: OpenFindings, since: string): Markup {
  return writeFirstSection(
    findings,
    ({ id }) => html`<span class="quiet">auditlake findings show ${id}</span>`,
    html`<span class="quiet">auditlake findings --since ${since}</span>`,
  );
}

function writeDocument(
  nowMs: number,
  reach: readonly string[],
  health: Health,
  sections: Markup[],
): string {
  const title = `Audit log, ${formatDay(nowMs)}`;
  return htmlDocument(
    title,
    html`<header>
        <h1>${title}</h1>
        <p class="quiet">Made ${new Date(nowMs).toISOString()}. All times are UTC.</p>
        ${reach.map((line) => html`<p class="quiet">${toSentence(line)}</p>`)} ${writeContents()}
      </header>
      <main>${sections}</main>`,
    { head: html`${writeEnds(health)}` },
  );
}

function toSentence(line: string): string {
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)}.`;
}
