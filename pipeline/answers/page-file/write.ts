import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { writeSwatch } from "../../base/html/signs.ts";
import { writeChart } from "./blocks/chart.ts";
import { describeFindings, type FindingsOfPage, writeFindings } from "./blocks/findings.ts";
import { writeFolded } from "./blocks/folded.ts";
import { writeStatus } from "./blocks/status.ts";
import { findListedReport, writeTableBlock } from "./blocks/table.ts";
import { writeTiles } from "./blocks/tiles.ts";
import { moveDay } from "./compare-days.ts";
import type { PageContext } from "./context.ts";
import { fillWeekday } from "./day-names.ts";
import { type OpenFinding, readOpenFindings } from "./open-findings.ts";
import { type Block, isBlock, type PageFile, type Section } from "./page-file.ts";
import type { Placed, Shown } from "./days.ts";

/**
 * Writes the sections of a page in order, each as soon as it is known; the context limits concurrent blocks. A failing
 * block shows its error; the others follow.
 */
export async function* writeSections(page: PageFile, context: PageContext): AsyncGenerator<Markup> {
  const findings = await readFindingsOfPage(page, context);
  const sections = page.sections.map((section) => writeSection(section, findings, context));
  // Prevents an unhandled rejection: a failing section ends the page when its turn comes.
  for (const section of sections) section.catch(() => undefined);
  for (const section of sections) yield await section;
}

async function readFindingsOfPage(page: PageFile, context: PageContext): Promise<FindingsOfPage> {
  const all = await context.query((connection) => readOpenFindings(connection, context.source));
  return { all, shown: 0, isListed: false };
}

async function writeSection(
  section: Section,
  findings: FindingsOfPage,
  context: PageContext,
): Promise<Markup> {
  const hasFindings = section.parts.some((part) => isBlock(part) && part.kind === "findings");
  // A second list of findings that has none left needs no heading.
  if (hasFindings && findings.isListed && findings.shown >= findings.all.length) return html``;
  const isFirst = !findings.isListed;
  const parts = await Promise.all(
    section.parts.map((part) =>
      isBlock(part) ? showBlock(part, section, findings, context) : Promise.resolve(part),
    ),
  );
  const placed = parts.filter((part): part is Placed => "block" in part);
  const isQuiet = isSectionQuiet(section, placed, findings, context);
  const note =
    hasFindings && isFirst
      ? describeFindings(findings.all, context)
      : writeSectionNote(placed, isQuiet, context);
  const id = section.heading
    ?.toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join("-");
  return html`<section${id === undefined ? null : html` id="${id}"`}>
    ${
      section.heading === undefined
        ? null
        : html`<div class="sech">
            <h2>${fillWeekday(section.heading, context.days.lastWhole)}</h2>
            <span class="muted">${note}</span>
          </div>`
    }
    ${isQuiet ? null : arrange(parts)}
  </section>`;
}

// A heading without unusual amounts and without findings of its reports says so.
function isSectionQuiet(
  section: Section,
  placed: readonly Placed[],
  { all }: FindingsOfPage,
  context: PageContext,
): boolean {
  const compared = placed.flatMap(({ comparison }) => comparison ?? []);
  if (section.heading === undefined || compared.length === 0) return false;
  const families = findSectionFamilies(placed, context);
  const isAbout = ({ detection }: OpenFinding): boolean =>
    families.has(context.reports.get(detection)?.family ?? "");
  return compared.every(({ isAbove }) => !isAbove) && !all.some(isAbout);
}

async function showBlock(
  block: Block,
  section: Section,
  findings: FindingsOfPage,
  context: PageContext,
): Promise<Placed> {
  const title = block.title && fillWeekday(block.title, context.days.lastWhole);
  const titled = title === undefined ? block : { ...block, title };
  try {
    return { block, ...(await show(titled, section, findings, context)) };
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    const message = html`<p class="bad" role="alert">${getMessage(error)}</p>`;
    return { block, markup: html`<div class="card"><div class="bd">${message}</div></div>` };
  }
}

async function show(
  block: Block,
  { heading }: Section,
  findings: FindingsOfPage,
  context: PageContext,
): Promise<Shown> {
  switch (block.kind) {
    case "status":
      return { markup: await writeStatus(context) };
    case "findings":
      return { markup: await writeFindings(block, heading !== undefined, findings, context) };
    case "tiles":
      return { markup: await writeTiles(block, findings.all, context) };
    case "chart":
      return await writeChart(block, context);
    case "table":
      return { markup: await writeTableBlock(block, context) };
    case "folded":
      return { markup: await writeFolded(block, context) };
  }
}

// Adjacent blocks are placed side by side: findings and charts over time in the wide column, tables and heat maps in
// the narrow one.
function arrange(parts: readonly (Markup | Placed)[]): Markup[] {
  const runs: (Markup | Placed[])[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (!("block" in part)) runs.push(part);
    else if (Array.isArray(last) && isSideBySide(part) && isSideBySide(last[0]!)) last.push(part);
    else runs.push([part]);
  }
  return runs.map((run) => (Array.isArray(run) ? arrangeRun(run) : run));
}

function isSideBySide({ block }: Placed): boolean {
  return block.kind === "findings" || block.kind === "chart" || block.kind === "table";
}

function isWide({ block: { kind, chart } }: Placed): boolean {
  return kind !== "table" && chart?.kind !== "heat";
}

function arrangeRun(run: readonly Placed[]): Markup {
  const [wide, narrow] = [run.filter(isWide), run.filter((each) => !isWide(each))];
  const write = (all: readonly Placed[]): Markup[] => all.map(({ markup }) => markup);
  if (run.length === 1) return run[0]!.markup;
  if (wide.length === 0)
    return html`<div class="grid g${Math.min(narrow.length, 3)}">${write(narrow)}</div>`;
  if (narrow.length === 0) return html`<div class="grid">${write(wide)}</div>`;
  return html`<div class="grid g21">
    <div class="grid">${write(wide)}</div>
    <div class="grid">${write(narrow)}</div>
  </div>`;
}

/** The families of the reports that a section shows. */
function findSectionFamilies(
  placed: readonly Placed[],
  { reports }: PageContext,
): ReadonlySet<string> {
  const names = placed.flatMap(({ block: { asked, chart } }) => {
    const [, linked] = /^report:(.+)$/.exec(chart?.link ?? asked?.report.chart?.link ?? "") ?? [];
    return [asked?.report.name, linked].filter((name) => name !== undefined);
  });
  return new Set(names.flatMap((name) => reports.get(name)?.family ?? []));
}

/** Writes the note beside the title of a section: the last whole day, usual values, and links to the rows. */
function writeSectionNote(
  placed: readonly Placed[],
  isQuiet: boolean,
  context: PageContext,
): Markup | null {
  const tiles = placed.find(({ block }) => block.kind === "tiles");
  if (tiles !== undefined) return writeTilesNote(tiles.block.compare, context);
  const compared = placed.find(({ comparison }) => comparison !== undefined);
  if (compared?.comparison === undefined) return null;
  const href = findListedReport(compared.block, context);
  return html`${compared.comparison.text}${isQuiet ? "; nothing above usual, no finding" : null}${
    href === undefined ? null : html` · <a href="${href}">report</a>`
  }`;
}

// The compared days have the colour of their columns.
function writeTilesNote(compare: Block["compare"], context: PageContext): Markup {
  const { days, display } = context;
  const isWeek = compare === "weeks";
  const first = isWeek ? `${formatTimeText(moveDay(days.lastWhole, -6), display)} – ` : "";
  return html`range: lowest to highest of the ${isWeek ? "three weeks" : "four"} ·
    <span class="swl">${writeSwatch("c1")} ${first}${formatTimeText(days.lastWhole, display)}</span>
    · <span class="swl">${writeSwatch("crf")} open finding</span>`;
}
