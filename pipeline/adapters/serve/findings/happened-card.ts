import type { DuckDBConnection } from "@duckdb/node-api";
import type { Paint } from "../../../answers/chart/chart.ts";
import { chooseStep, type Lane } from "../../../answers/chart/lane.ts";
import { drawLanes } from "../../../answers/chart/lanes.ts";
import { collectEvents, readSlots, type Slot } from "../../../answers/investigate/activity.ts";
import { bindKeys, findPersonKeys } from "../../../answers/investigate/person.ts";
import {
  type GivenRights,
  readGivenRights,
  readStrongestGrants,
  type StrongGrant,
} from "../../../answers/investigate/person-rights.ts";
import type { Range } from "../../../answers/investigate/subject.ts";
import type { ShownFinding } from "../../../answers/findings/show.ts";
import { type Display, formatTimeRange } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatIso, fromTimestamp } from "../../../base/time/text.ts";
import { toWallMs } from "../../../base/time/wall.ts";
import { buildLanes } from "../subject/lanes.ts";
import { buildEventsUrl } from "../subject/visit.ts";
import type { Visit } from "../visit.ts";
import { getPerson, getSubjectUrl } from "./related-cards.ts";
import { writeHeadline } from "./queue-row.ts";

/** What the subject of a finding did around it. */
export type Happened = {
  readonly range: Pick<Range, "sinceMs" | "untilMs">;
  readonly slots: readonly Slot[];
  readonly given?: readonly GivenRights[];
  readonly grants?: readonly StrongGrant[];
};

const minuteMs = 60_000;
const grantsOfCard = 8;

/** Reads what the person or address of a finding did around it; undefined for another subject. */
export async function readHappened(
  connection: DuckDBConnection,
  { finding, events }: ShownFinding,
): Promise<Happened | undefined> {
  const { subjectKind: kind, firstMoment, lastMoment, subject } = finding;
  if (kind !== "user" && kind !== "address") return undefined;
  const moments = events.map(({ eventTime }) => fromTimestamp(eventTime));
  const range = frameMoments(
    Math.min(fromTimestamp(firstMoment), ...moments),
    Math.max(fromTimestamp(lastMoment), ...moments),
  );
  const length =
    chooseStep(range.sinceMs, range.untilMs) === undefined ? ("second" as const) : "quarter";
  if (kind === "address") {
    await collectEvents(connection, "address", range, { address: subject, before: null });
    return { range, slots: await readSlots(connection, length) };
  }
  const keys = await findPersonKeys(connection, getPerson(finding));
  await collectEvents(connection, "user", range, bindKeys(keys));
  return {
    range,
    slots: await readSlots(connection, length),
    given: await readGivenRights(connection, keys, range),
    grants: await readStrongestGrants(connection, keys, range, grantsOfCard),
  };
}

// The time of the evidence with a margin, in which its cause lies.
function frameMoments(firstMs: number, lastMs: number): Range {
  const margin = lastMs > firstMs ? Math.max(15 * minuteMs, (lastMs - firstMs) / 4) : 30 * minuteMs;
  return { sinceMs: firstMs - margin, untilMs: lastMs + margin };
}

/** What happened around a finding, as lanes over one axis of time; its evidence has the colour of its severity. */
export function writeHappenedCard(
  { finding, events }: ShownFinding,
  happened: Happened | undefined,
  { display }: Visit,
): Markup | null {
  if (happened === undefined) return null;
  const { range } = happened;
  const filter = finding.subjectKind === "user" ? "person" : "address";
  const drawn = buildLanes({
    ...happened,
    zone: display.zone,
    findings: [],
    getHref: (sinceMs, untilMs, more) =>
      buildEventsUrl({ [filter]: getPerson(finding), ...more }, { sinceMs, untilMs }),
  });
  const lanes = markEvidence(
    drawn.lanes.filter(isOfUse),
    events,
    paints[finding.severity] ?? "sl",
    display,
  );
  const times = [range.sinceMs, range.untilMs].map((ms) => formatIso(ms));
  return html`<div class="card">
    <div class="hd">
      <h2>What happened</h2>
      <span class="muted">${formatTimeRange(times[0]!, times[1]!, { ...display, day: true })}</span>
      <span class="sp"></span>
      <a class="small" href="${getSubjectUrl(finding) ?? ""}">Full timeline</a>
    </div>
    <div class="bd"></div>
    ${drawLanes({ ...drawn, lanes, note: display.zone })}
  </div>`;
}

// An empty lane is evidence, too; an empty sum only repeats that there were no downloads.
function isOfUse(lane: Lane): boolean {
  return lane.kind !== "sum" || lane.steps.length > 0;
}

const paints: Readonly<Record<string, Paint>> = {
  critical: "crf",
  high: "hgf",
  medium: "medf",
  low: "lowf",
};

function shortenLabel<M extends { readonly label?: string }>(mark: M, display: Display): M {
  return mark.label === undefined ? mark : { ...mark, label: writeHeadline(mark.label, display) };
}

// Failed and denied events retain the colour of their outcome.
function markEvidence(
  lanes: readonly Lane[],
  events: ShownFinding["events"],
  paint: Paint,
  display: Display,
): Lane[] {
  const { zone } = display;
  const toSecond = (ms: number): number => Math.floor(ms / 1000);
  const seconds = new Set(
    events.map(({ eventTime }) => toSecond(toWallMs(zone, fromTimestamp(eventTime)))),
  );
  return lanes.map((lane): Lane => {
    if (lane.kind === "marks")
      return { ...lane, marks: lane.marks.map((mark) => shortenLabel(mark, display)) };
    if (lane.kind !== "dots" || lane.name === "Denials") return lane;
    const dots = lane.dots.map((dot) => (seconds.has(toSecond(dot.at)) ? { ...dot, paint } : dot));
    return { ...lane, dots };
  });
}
