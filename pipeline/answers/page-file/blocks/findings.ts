import { formatTime, formatTimeRange } from "../../../base/html/formats.ts";
import { describeUsual, parseMeasures } from "../../findings/sentences.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeSeverity, writeState } from "../../../base/html/signs.ts";
import { countText, formatCount, formatDuration } from "../../../base/terminal/amounts.ts";
import { severities } from "../../../../schemas/detections.ts";
import { fromTimestamp } from "../../../base/time/text.ts";
import type { PageContext } from "../context.ts";
import type { Days } from "../days.ts";
import { drawFindingPicture } from "../../findings/picture.ts";
import { type PictureEvent, readPictureEvents } from "../../findings/picture-marks.ts";
import { type OpenFinding, readChecked } from "../open-findings.ts";
import { drawHeroChart } from "../hero-chart.ts";
import type { Block } from "../page-file.ts";

const usualRows = 7;

/** The findings of a page: a second block continues where the first one ends. */
export type FindingsOfPage = {
  readonly all: readonly OpenFinding[];
  /** How many were shown so far. */
  shown: number;
  /** Whether a block has listed them. */
  isListed: boolean;
};

/**
 * A block `findings`: the most severe open findings, one sentence each. Below a heading a critical one leads with its
 * chart; a block without one is a card with a heading of its own.
 */
export async function writeFindings(
  block: Block,
  hasHeading: boolean,
  findings: FindingsOfPage,
  context: PageContext,
): Promise<Markup> {
  const { all, shown, isListed } = findings;
  findings.isListed = true;
  const own = all.slice(shown, shown + (block.rows ?? usualRows));
  findings.shown += own.length;
  if (own.length === 0) return isListed ? html`` : await writeNone(context);
  const [first] = own;
  const hasHero = hasHeading && shown === 0 && first?.severity === "critical";
  const rest = hasHero ? own.slice(1) : own;
  const ids = rest.map(({ findingId }) => findingId);
  const events = await context.query((connection) => readPictureEvents(connection, ids));
  const rows = rest.map((each) => writeRow(each, context, events.get(each.findingId) ?? []));
  return html`${hasHero ? await writeHero(first, context) : null}
    <div class="card${hasHero ? " mt8" : ""}">
      ${hasHeading ? null : writeHead(all)}${rows}${writeFoot(findings)}
    </div>`;
}

function writeHead(all: readonly OpenFinding[]): Markup {
  const counts = severities.toReversed().flatMap((severity) => {
    const count = all.filter((each) => each.severity === severity).length;
    if (count === 0) return [];
    return [
      html`<a href="/findings?severity=${severity}"
        >${writeSeverity(severity)} ${countText(count)}</a
      >`,
    ];
  });
  return html`<div class="hd">
      <h2>Open findings</h2>
      <span class="sp"></span>
      <div class="row">${counts}</div>
    </div>
    <div class="bd"></div>`;
}

async function writeNone({ query, source, nowMs }: PageContext): Promise<Markup> {
  const checked = await query((connection) => readChecked(connection, source, nowMs));
  const text = checked.length === 0 ? "" : ` ${formatCount(checked.length, "detection")} ran.`;
  return html`<div class="card">
    <div class="bd">
      <p><b>No open findings.</b>${text}</p>
    </div>
  </div>`;
}

/** How many findings are open, by severity, and how many are new since a day ago. */
export function describeFindings(all: readonly OpenFinding[], { days }: PageContext): string {
  const counts = severities.toReversed().flatMap((severity) => {
    const count = all.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const recent = all.filter((each) => isNew(each, days)).length;
  const since = recent === 0 ? "" : ` · ${recent} new since yesterday`;
  return `${formatCount(all.length, "open finding")}${counts.length === 0 ? "" : `: ${counts.join(", ")}`}${since}`;
}

const dayMs = 86_400_000;

// Since the last whole day began. When it was raised does not count: the first run raises those of all times.
function isNew({ lastAt }: OpenFinding, { wholeUntilMs }: Days): boolean {
  return fromTimestamp(lastAt) >= wholeUntilMs - dayMs;
}

async function writeHero(finding: OpenFinding, context: PageContext): Promise<Markup> {
  const { findingId, severity, attack, state, firstAt, subject, subjectKind } = finding;
  const openFor = (context.nowMs - fromTimestamp(firstAt)) / 1000;
  const person = subjectKind === "user" ? `/people/${encodeURIComponent(subject)}` : undefined;
  return html`<div class="card hero">
    <div>
      <div class="row">
        ${writeSeverity(severity)}
        ${attack
          .split(", ")
          .filter((each) => each !== "")
          .map((each) => html`<span class="tag">${each}</span>`)}
        ${writeState(state)}<span class="small muted">open for ${formatDuration(openFor)}</span>
      </div>
      <a class="ttl" href="/findings/${findingId}">${shortenPeople(finding.message, context)}</a>
      <p class="why">
        ${finding.title},
        ${formatTimeRange(finding.firstAt, finding.lastAt, { ...context.display, day: true })}.
      </p>
      ${writeUsual(finding)}
      <div class="row mt12">
        <a class="btn pri" href="/findings/${findingId}">Open finding</a>
        ${person === undefined ? null : html`<a class="btn" href="${person}">Timeline of ${shortenPeople(subject, context)}</a>`}
      </div>
    </div>
    ${await drawHeroChart(finding, context)}
  </div>`;
}

/** A finding as a row of a list: severity, sentence, time and state. */
function writeRow(
  finding: OpenFinding,
  context: PageContext,
  events: readonly PictureEvent[],
): Markup {
  const { findingId, severity, message, title, lastAt, state, measures } = finding;
  return html`<div class="find${severity === "critical" ? " c" : ""}">
    <div>${writeSeverity(severity)}</div>
    <div>
      <a class="ttl" href="/findings/${findingId}">${shortenPeople(message, context)}</a>
      ${isNew(finding, context.days) ? html`<span class="sev info">new since yesterday</span>` : null}
      <div class="why">${title}. ${describeUsual(parseMeasures(measures))}</div>
    </div>
    ${drawFindingPicture(finding, events, context.display.zone)}
    <div class="meta">${formatTime(lastAt, context.display)}<br />${writeState(state)}</div>
  </div>`;
}

function writeUsual({ measures }: OpenFinding): Markup | null {
  const usual = describeUsual(parseMeasures(measures));
  return usual === undefined ? null : html`<p class="usual">${usual}</p>`;
}

/** A sentence with the addresses of the usual domain without it. */
export function shortenPeople(text: string, { display }: PageContext): string {
  const { domain } = display;
  return domain === undefined ? text : text.replaceAll(`@${domain}`, "");
}

function writeFoot({ all, shown }: FindingsOfPage): Markup {
  const rest = all.slice(shown);
  const more =
    rest.length === 0
      ? html`<a href="/findings">All findings</a>`
      : html`<a href="/findings">${formatCount(rest.length, "more finding")}</a>`;
  return html`<div class="foot">
    ${more}<span class="sp"></span
    ><span>Ranked by severity, new before acknowledged, newest first</span>
  </div>`;
}
