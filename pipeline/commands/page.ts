import { join, resolve } from "node:path";
import type { Command } from "commander";
import { exitCode } from "../errors.ts";
import { htmlDocument } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { printableLines } from "../printable.ts";
import { findReports } from "../report/find.ts";
import { givenParams, questionOf } from "../report/params.ts";
import { createFolder, replaceFile } from "../report/write.ts";
import { checkMail, mailFile } from "../delivery/mail-file.ts";
import { openEngine } from "../ask/engine.ts";
import { readSettings, type Settings } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../world.ts";
import { bodyOf, contentsOf } from "../page/body.ts";
import { type Health, readHealth } from "../page/health.ts";
import { endsMarkup, lastEnds, newSince, pageFile } from "../page/last.ts";
import { plainPrinter } from "../terminal/printer.ts";
import { dayText } from "../moments/text.ts";

const dayMs = 86_400_000;

type Flags = { readonly out: string; readonly since: string; readonly mail?: string };

/** Registers `page`. */
export function page(program: Command, world: World): void {
  program
    .command("page")
    .description("write the page to open in the morning: health, what is new, charts and tables")
    .requiredOption("--out <dir>", "folder of the pages, one file a day")
    .option("--since <time>", "start of the range of its charts: date, RFC 3339 time, or 7d", "30d")
    .option("--mail <target>", "send the page to an email of the configuration, too")
    .addHelpText(
      "after",
      `
The page is one file that asks for nothing from elsewhere. What is new is counted from where the data of
the newest page of an earlier day in the same folder ended, else from a day ago.

Examples:
  auditlake page --out pages
  auditlake page --out pages --since 90d
  auditlake page --out pages --mail team`,
    )
    .action(async ({ out, since, mail }: Flags, command: Command) => {
      const settings = readSettings(command, world);
      // The recipients are checked before the page is made.
      if (mail !== undefined) checkMail(mail, settings, world);
      const path = await writePage(resolve(out), since, settings, world);
      if (mail === undefined) return;
      await mailFile(mail, path, "The page of the audit log is attached.", settings, world);
      plainPrinter(world, settings.flags.quiet === true)(`sent to ${mail}`);
    });
}

async function writePage(
  folder: string,
  since: string,
  settings: Settings,
  world: World,
): Promise<string> {
  const nowMs = world.now();
  const name = pageFile(nowMs);
  const warn = (message: string): void =>
    void world.stderr.write(`warning: ${printableLines(message)}\n`);
  const before = lastEnds(folder, name, warn);
  const { reports } = findReports();
  // A range that no report accepts is refused before any report runs.
  const ranged = reports.find(({ params }) => params.some((param) => param.name === "since"))!;
  questionOf(ranged, givenParams({ since }, []), nowMs);
  const failures: string[] = [];
  // How far the data reaches is read first. What is published after that is shown again by the next page, not lost.
  const health = await healthOf(settings, nowMs);
  const newSinceMs = before === undefined ? nowMs - dayMs : newSince(before, health.ends);
  await using engine = await openEngine(reports, settings, world);
  const sections = await bodyOf({
    engine,
    reports,
    nowMs,
    since: { whole: since, new: new Date(newSinceMs).toISOString() },
    signal: world.signal,
    failed: (report, message) => void failures.push(`report ${report}: ${message}`),
  });
  const text = documentOf(nowMs, engine.dataUpTo(), health, sections);
  await createFolder(folder);
  const path = join(folder, name);
  await replaceFile(path, ({ sink }) => sink(text));
  for (const line of failures) world.stderr.write(`error: ${printableLines(line)}\n`);
  if (failures.length > 0) process.exitCode = exitCode.partial;
  plainPrinter(world, settings.flags.quiet === true)(`written: ${path}`);
  return path;
}

async function healthOf({ home, config }: Settings, nowMs: number): Promise<Health> {
  await using database = await openPublished(home.published, readLimits(config));
  // The database is closed when this returns.
  return await readHealth(database.connection, config, nowMs);
}

function documentOf(
  nowMs: number,
  dataUpTo: string | undefined,
  { markup, ends }: Health,
  sections: Markup[],
): string {
  const title = `Audit log, ${dayText(nowMs)}`;
  const upTo = dataUpTo === undefined ? "" : ` Data up to ${dataUpTo}.`;
  return htmlDocument(
    title,
    html`<header>
        <h1>${title}</h1>
        <p class="quiet">Made ${new Date(nowMs).toISOString()}.${upTo} All times are UTC.</p>
        ${contentsOf()}
      </header>
      <main>${markup}${sections}</main>`,
    { head: html`${endsMarkup(ends)}` },
  );
}
