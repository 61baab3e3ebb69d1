import { describeStatus, listParts, readLine } from "../../answers/page-file/blocks/status.ts";
import {
  describeMissing,
  formatTileRange,
  formatTileValue,
  readTiles,
} from "../../answers/page-file/blocks/tiles.ts";
import { shortenPeople } from "../../answers/page-file/blocks/findings.ts";
import type { PageContext } from "../../answers/page-file/context.ts";
import { fillWeekday, formatLongDay } from "../../answers/page-file/day-names.ts";
import { type OpenFinding, readOpenFindings } from "../../answers/page-file/open-findings.ts";
import { type Block, isBlock, type PageFile } from "../../answers/page-file/page-file.ts";
import { describeUsual, parseMeasures } from "../../answers/findings/sentences.ts";
import type { StatusLine } from "../../answers/status/status-line.ts";
import { getMarkupText } from "../../base/html/markup.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { mailTextWidth } from "../../base/html/mail.ts";
import { formatCount, wrapText } from "../../base/terminal/amounts.ts";
import { formatDay } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import { severities } from "../../../schemas/detections.ts";
import type { MailFacts, MailFinding, MailTile } from "./mail-facts.ts";
import { writeMailBody } from "./mail-body.ts";

/** A page as a message: the file is attached to it. */
export type PageMail = { readonly subject: string; readonly text: string; readonly html: string };

const shownFindings = 4;

/** Writes the message of a page from its blocks `status`, `findings` and `tiles`. */
export async function writePageMail(page: PageFile, context: PageContext): Promise<PageMail> {
  const { display, nowMs, config, source } = context;
  const blocks = page.sections.flatMap(({ parts }) => parts).filter(isBlock);
  const line = await readLine(context);
  const all = blocks.some(({ kind }) => kind === "findings")
    ? await context.query((connection) => readOpenFindings(connection, source))
    : undefined;
  const tiles = blocks.find(({ kind }) => kind === "tiles");
  const titled = page.sections.find(({ parts }) => parts.some((part) => part === tiles));
  const today = formatDay(toWallMs(display.zone, nowMs));
  const { lead, rest } = describeStatus(line, context);
  const facts: MailFacts = {
    title: page.title,
    day: formatLongDay(today),
    status: {
      isGood: isComplete(line),
      lead,
      rest: [...(rest === undefined ? [] : [rest]), ...listParts(line)].join(" · "),
    },
    findings: all?.slice(0, shownFindings).map((finding) => toMailFinding(finding, context)),
    more: describeMore(all ?? []),
    tiles: tiles === undefined ? [] : await readMailTiles(tiles, context),
    tilesTitle: fillWeekday(titled?.heading ?? page.title, context.days.lastWhole),
    zone: display.zone,
    baseUrl: config.serve.base_url,
    pageName: page.name,
  };
  const day = `${formatTimeText(today, display)} ${today.slice(0, 4)}`;
  return {
    subject: `auditlake: ${describeSubject(page, line, all)} – ${day}`,
    text: writeMailText(facts),
    html: getMarkupText(writeMailBody(facts)),
  };
}

function isComplete({ level }: StatusLine): boolean {
  return level === "complete" || level === "imported";
}

function describeSubject(
  { title }: PageFile,
  line: StatusLine,
  all: readonly OpenFinding[] | undefined,
): string {
  const parts = [
    ...(isComplete(line) ? [] : ["data incomplete"]),
    ...(all === undefined ? [title] : countSeverities(all)),
  ];
  return parts.length === 0 ? "nothing new" : parts.join(", ");
}

// The two highest severities that there are.
function countSeverities(all: readonly OpenFinding[]): string[] {
  return severities
    .toReversed()
    .map((severity) => [severity, all.filter((each) => each.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .slice(0, 2)
    .map(([severity, count]) => `${count} ${severity}`);
}

function toMailFinding(finding: OpenFinding, context: PageContext): MailFinding {
  const state = finding.state === "open" ? "New" : "Acknowledged";
  return {
    id: finding.findingId,
    severity: finding.severity,
    headline: shortenPeople(finding.message, context),
    title: [`${finding.title}.`, describeUsual(parseMeasures(finding.measures))]
      .filter((part) => part !== undefined)
      .join(" "),
    when: `${formatTimeText(finding.lastAt, context.display)} · ${state}`,
  };
}

function describeMore(all: readonly OpenFinding[]): string {
  const rest = all.slice(shownFindings);
  if (rest.length === 0) return "";
  const counts = severities.toReversed().flatMap((severity) => {
    const count = rest.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return `${formatCount(rest.length, "more open finding")}: ${counts.join(", ")}`;
}

async function readMailTiles(block: Block, context: PageContext): Promise<MailTile[]> {
  const tiles = await readTiles(block, context);
  return tiles.map((tile) => {
    const { title, verdict } = tile;
    const range =
      verdict === undefined
        ? describeMissing(tile, context.days.lastWhole, block.compare)
        : formatTileRange(tile);
    return { title, value: formatTileValue(tile).join(" ").trim(), verdict, range };
  });
}

function writeMailText(facts: MailFacts): string {
  const { title, day, status, findings, more, tiles, baseUrl, pageName, zone } = facts;
  const whole = baseUrl === undefined ? [] : [`  ${baseUrl}/pages/${pageName}`];
  const parts = [
    [
      `auditlake: ${title}, ${day}`,
      ...wrapAt("", [status.lead, status.rest].filter((part) => part !== "").join(" · ")),
    ],
    ...(findings === undefined ? [] : [["Look at this first"]]),
    ...(findings?.length === 0 ? [["  No open findings."]] : []),
    ...(findings ?? []).map((finding) => writeFindingText(finding, baseUrl)),
    ...(more === "" ? [] : [[`  ${more}`]]),
    ...(tiles.length === 0 ? [] : [[facts.tilesTitle, "", ...writeTileLines(tiles)]]),
    ["The complete page is attached.", ...whole, `All times ${zone}.`],
  ];
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function writeFindingText(finding: MailFinding, baseUrl: string | undefined): string[] {
  return [
    `  ${finding.severity.toUpperCase()}  ${finding.when}`,
    ...wrapAt("  ", finding.headline),
    ...wrapAt("  ", finding.title),
    ...(baseUrl === undefined ? [] : [`  ${baseUrl}/findings/${finding.id}`]),
  ];
}

function writeTileLines(tiles: readonly MailTile[]): string[] {
  const [names, values] = [
    Math.max(...tiles.map(({ title }) => title.length)),
    Math.max(...tiles.map(({ value }) => value.length)),
  ];
  return tiles.flatMap(({ title, value, verdict, range }) => {
    const amounts = `  ${title.padEnd(names)}  ${value.padStart(values)}  `;
    const [first = "", ...others] = wrapAt(
      " ".repeat(amounts.length),
      [verdict, range].filter(Boolean).join(" "),
    );
    return [`${amounts}${first.trimStart()}`.trimEnd(), ...others];
  });
}

function wrapAt(indent: string, text: string): string[] {
  return wrapText(text, mailTextWidth - indent.length).map((line) => `${indent}${line}`);
}
