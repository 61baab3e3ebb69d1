import { severities } from "../../../../schemas/detections.ts";
import { drawBars } from "../../../answers/chart/bars.ts";
import type { Bars, Paint } from "../../../answers/chart/chart.ts";
import { drawLegend } from "../../../answers/chart/draw-chart.ts";
import { readPictureEvents } from "../../../answers/findings/picture-marks.ts";
import {
  countDays,
  countStates,
  type QueuedFinding,
  type QueueState,
  queueStates,
  readQueue,
  type StateCount,
} from "../../../answers/findings/queue.ts";
import { formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { countText, formatCount, formatDuration } from "../../../base/terminal/amounts.ts";
import { formatDay } from "../../../base/time/text.ts";
import { ask } from "../ask.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { sumCounts, writeFilterBar } from "./filter-bar.ts";
import type { QueueRequest } from "./filter.ts";
import { noSignal } from "./own-decisions.ts";
import { writeQueueRow } from "./queue-row.ts";

const rowsOfPage = 50;
const dayMs = 86_400_000;

/** What all readers of one page of the queue see alike. */
export type QueueList = {
  readonly summary: string;
  /** The filter bar with the chart of days. */
  readonly top: Markup;
  /** The findings with the footer of their card; null where no finding matches. */
  readonly rows: Markup | null;
  /** Content without findings, and the findings outside of the range. */
  readonly rest: Markup;
};

/** Reads and writes a page of the queue once for all who request it while a publication lasts. */
export function shareQueueList(
  visit: Visit,
  request: QueueRequest,
  isSelectable: boolean,
): Promise<QueueList> {
  const { site, params, display } = visit;
  const { source } = site.settings.flags;
  const { range } = request;
  const seen = [params.toString(), range, source, display.zone, display.domain, isSelectable];
  return site.share(`queue ${JSON.stringify(seen)}`, () =>
    ask(site, noSignal, async (connection) => {
      const { filter, page } = request;
      const skipped = (page - 1) * rowsOfPage;
      const rows = await readQueue(connection, filter, { skipped, most: rowsOfPage });
      const ids = rows.map(({ findingId }) => findingId);
      const pictured = await readPictureEvents(connection, ids);
      const counts = await countStates(connection, filter, site.world.now() - dayMs);
      const days = await countDays(connection, filter);
      return {
        summary: describeQueue(counts, site.world.now()),
        top: html`${writeFilterBar(visit, request, counts)}
        ${days.length === 0 ? null : writeDaysCard(days, request)}`,
        rows: rows.length === 0 ? null : writeRows(visit, page, { rows, pictured }, isSelectable),
        rest: html`${rows.length > 0 ? null : writeNothing(visit, filter.state)}
        ${writeOutside(visit, filter.state, counts)}`,
      };
    }),
  );
}

function describeQueue(counts: readonly StateCount[], nowMs: number): string {
  const open = counts.filter((each) => queueStates.open.some((name) => name === each.state));
  const oldest = open
    .flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt]))
    .toSorted()[0];
  const [total, added] = (["findings", "added"] as const).map((column) =>
    sumCounts(counts, "open", column),
  ) as [number, number];
  // After the first evaluation all are new.
  return [
    `${countText(total)} open`,
    ...(added === 0 || added === total ? [] : [`${countText(added)} new since yesterday`]),
    ...(oldest === undefined
      ? []
      : [`oldest open for ${formatDuration(Math.max(0, (nowMs - Date.parse(oldest)) / 1000))}`]),
  ].join(" · ");
}

type Pictured = {
  readonly rows: readonly QueuedFinding[];
  readonly pictured: Awaited<ReturnType<typeof readPictureEvents>>;
};

function writeRows(
  visit: Visit,
  page: number,
  { rows, pictured }: Pictured,
  isSelectable: boolean,
): Markup {
  const yesterdayMs = visit.site.world.now() - dayMs;
  const fresh = rows.map(({ raisedAt }) => Date.parse(raisedAt) >= yesterdayMs);
  const hasOlder = fresh.includes(false);
  const total = rows[0]!.total;
  const list = rows.map((row, n) =>
    writeQueueRow(row, visit.display, {
      isSelectable,
      isFresh: hasOlder && fresh[n]!,
      events: pictured.get(row.findingId) ?? [],
    }),
  );
  return html`${list}
    <div class="foot">
      <span>${writePlace(page, rows.length, total)}</span>${writePaging(visit, page, total)}<span
        class="sp"
      ></span
      ><span class="only-w" data-keys hidden
        >Keys: j k move · Enter open${isSelectable ? " · a acknowledge · x select" : ""}</span
      >
    </div>`;
}

function writePlace(page: number, shown: number, total: number): string {
  const first = (page - 1) * rowsOfPage + 1;
  if (shown === total) return formatCount(total, "finding");
  return `${countText(first)}–${countText(first + shown - 1)} of ${formatCount(total, "finding")}`;
}

function writePaging(visit: Visit, page: number, total: number): Markup {
  const previous =
    page === 1
      ? null
      : html`<a href="${buildPageUrl(visit, { page: String(page - 1) })}">Previous</a>`;
  const isLast = page * rowsOfPage >= total;
  const next = isLast
    ? null
    : html`<a href="${buildPageUrl(visit, { page: String(page + 1) })}">Next</a>`;
  return html`${previous}${next}`;
}

function writeNothing(visit: Visit, state: QueueState): Markup {
  const isFiltered = ["severity", "detection", "subject", "search"].some((name) =>
    visit.params.get(name),
  );
  return html`<div class="card mt12">
    <div class="bd">
      ${
        isFiltered || state !== "open"
          ? html`<p><b>No matching findings.</b> <a href="/findings">Show all open findings</a></p>`
          : html`<p>
              <b>No open findings.</b>
              <a href="/findings/detections">Detections and when they ran</a>
            </p>`
      }
    </div>
  </div>`;
}

// A finding without a decision is not to be missed because of its age.
function writeOutside(
  visit: Visit,
  state: QueueState,
  counts: readonly StateCount[],
): Markup | null {
  const outside = sumCounts(counts, state, "outside");
  if (outside === 0) return null;
  const href = buildPageUrl(visit, { since: "2000-01-01", until: "now", page: null });
  return html`<p class="mt12 muted">
    ${formatCount(outside, "more finding")} outside of this range: <a href="${href}">show all</a>
  </p>`;
}

const paints: Readonly<Record<(typeof severities)[number], Paint>> = {
  critical: "crf",
  high: "hgf",
  medium: "medf",
  low: "lowf",
  info: "sl",
};
const mostDays = 120;

/** A chart of findings per day and severity; null where the range is no number of days that can be shown. */
function writeDaysCard(
  days: Awaited<ReturnType<typeof countDays>>,
  { filter }: QueueRequest,
): Markup | null {
  const startMs = Math.floor(filter.during.startMs / dayMs) * dayMs;
  const count = Math.ceil((filter.during.endMs - startMs) / dayMs);
  if (count < 2 || count > mostDays) return null;
  const names = Array.from({ length: count }, (_, n) => formatDay(startMs + n * dayMs));
  const series = severities.toReversed().flatMap((severity) => {
    const own = new Map(
      days.filter((each) => each.severity === severity).map(({ day, findings }) => [day, findings]),
    );
    if (own.size === 0) return [];
    const values = names.map((day) => own.get(day) ?? 0);
    return [
      {
        name: `${severity.slice(0, 1).toUpperCase()}${severity.slice(1)}`,
        paint: paints[severity],
        values,
      },
    ];
  });
  const bars: Bars = {
    label: "Findings per day, by severity",
    height: 110,
    series,
    slots: names.map((day, n) => {
      const weekday = new Date(day).getUTCDay();
      const isLast = n === count - 1;
      return {
        name: formatTimeText(day, { zone: "UTC" }),
        ...(weekday === 1
          ? { label: formatTimeText(day, { zone: "UTC" }).slice("Mon ".length) }
          : {}),
        isWeekend: weekday === 0 || weekday === 6,
        isPart: isLast,
        href: `/findings?state=${filter.state}&since=${day}&until=${formatDay(startMs + (n + 1) * dayMs)}`,
      };
    }),
  };
  return html`<div class="card mt12">
    <div class="hd">
      <h2 class="h3">Findings per day, by severity</h2>
      <span class="sp"></span>${drawLegend(series)}
    </div>
    <div class="bd">${drawBars(bars)}</div>
  </div>`;
}
