import { drawBars } from "../../../answers/chart/bars.ts";
import type { Paint, Series, Slot } from "../../../answers/chart/chart.ts";
import { drawLegend } from "../../../answers/chart/draw-chart.ts";
import { listSlots } from "../../../answers/chart/slots.ts";
import type { Buckets } from "../../../answers/events/buckets.ts";
import type { BucketCount } from "../../../answers/events/counts.ts";
import { outcomes } from "../../../answers/events/filters.ts";
import { type Display, formatTimeRange } from "../../../base/html/formats.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import type { Reach } from "../../../base/rows/row.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso, toTimestamp } from "../../../base/time/text.ts";
import { formatZonedTime, toWallMs } from "../../../base/time/wall.ts";
import {
  type Address,
  changeAddress,
  type Search,
  searchParameters,
  writeSearchUrl,
} from "./address.ts";

export type Histogram = {
  readonly address: Address;
  readonly search: Search;
  readonly buckets: Buckets;
  readonly counts: readonly BucketCount[];
  readonly reach: Pick<Reach, "upToMs" | "unread">;
  readonly display: Display;
};

/** The events of a search over its range, stacked by outcome; a bar, a drag or the two fields select a part of it. */
export function writeHistogram(histogram: Histogram): Markup {
  const { search, buckets, counts, display } = histogram;
  const total = counts.reduce((sum, { events }) => sum + events, 0);
  const series = listSeries(buckets, counts);
  const range = formatTimeRange(
    formatIso(search.range.startMs),
    formatIso(search.range.endMs),
    display,
  );
  return html`<div class="card first">
    <div class="hd">
      <h2>${formatCount(total, "event")}</h2>
      <span class="muted">${range}, per ${buckets.unit}</span>
      <span class="sp"></span>
      ${drawLegend(series)}
    </div>
    <div class="bd">${drawChart(histogram, series)} ${writeSelectionForm(histogram)}</div>
  </div>`;
}

const paints: Readonly<Record<string, Paint>> = {
  succeeded: "ok",
  failed: "fail",
  denied: "deny",
  unknown: "sl",
};

function listSeries({ borders }: Buckets, counts: readonly BucketCount[]): Series[] {
  const series = outcomes.map((outcome) => {
    const own = new Map(
      counts.flatMap((each) => (each.outcome === outcome ? [[each.startMs, each.events]] : [])),
    );
    return {
      name: outcome[0]!.toUpperCase() + outcome.slice(1),
      paint: paints[outcome]!,
      values: borders.map((border) => own.get(border) ?? 0),
      total: [...own.values()].reduce((sum, events) => sum + events, 0),
    };
  });
  return series.filter(({ total }) => total > 0).toSorted((a, b) => b.total - a.total);
}

function drawChart(
  { search, buckets, address, reach, display }: Histogram,
  series: Series[],
): Markup {
  const edges = [...buckets.borders, buckets.endMs];
  const { range, selected, isSelected } = search;
  const parts = findParts(edges, search, reach, display.nowMs);
  const starts = buckets.borders.map((border) => toTimestamp(toWallMs(display.zone, border)));
  const slots = listSlots(starts, (i): Pick<Slot, "isPart" | "href"> => {
    const from = formatIso(Math.max(edges[i]!, range.startMs));
    const to = formatIso(Math.min(edges[i + 1]!, range.endMs));
    const href = writeSearchUrl(changeAddress(address, { from: [from], to: [to] }));
    return { isPart: parts[i]!, href };
  });
  return drawBars({
    label: `Events per ${buckets.unit}, by outcome`,
    slots,
    series,
    height: 150,
    brush: {
      form: "selection",
      fields: ["from", "to"],
      edges: edges.map(formatIso),
      ...(isSelected
        ? { selected: [placeAt(edges, selected.startMs), placeAt(edges, selected.endMs)] }
        : {}),
    },
  });
}

// Finds buckets that are known only in part: the requested or read range ends inside.
function findParts(
  edges: readonly number[],
  { range }: Search,
  { upToMs, unread }: Histogram["reach"],
  nowMs = Infinity,
): boolean[] {
  const borders = [range.startMs, range.endMs, nowMs, ...(upToMs === null ? [] : [upToMs])];
  return edges.slice(0, -1).map((start, i) => {
    const end = edges[i + 1]!;
    const isCut = borders.some((border) => start < border && border < end);
    const isUnread = unread.some(
      ({ fromMs, untilMs }) => (fromMs ?? -Infinity) < end && (untilMs ?? Infinity) > start,
    );
    return isCut || isUnread;
  });
}

/** The place of a moment in buckets from the left. */
function placeAt(edges: readonly number[], ms: number): number {
  const slot = Math.max(
    0,
    edges.findLastIndex((edge) => edge <= ms),
  );
  const [start, end] = [edges[slot]!, edges[slot + 1]];
  return end === undefined ? edges.length - 1 : slot + (ms - start) / (end - start);
}

// The same by keyboard, and without a script.
function writeSelectionForm({ address, search, display }: Histogram): Markup {
  const others = searchParameters.flatMap((name) =>
    ["from", "to", "below_time", "below_key"].includes(name)
      ? []
      : (address[name] ?? []).map(
          (value) => html`<input type="hidden" name="${name}" value="${escapeField(value)}" />`,
        ),
  );
  const { selected, isSelected } = search;
  const [from, to] = [selected.startMs, selected.endMs].map((ms) =>
    isSelected ? formatZonedTime(ms, display.zone) : "",
  );
  const write = (name: string, label: string, value: string): Markup =>
    html`<label class="inline"
      ><span>${label}</span
      ><input name="${name}" value="${value}" placeholder="2026-01-31T08:00" autocomplete="off"
    /></label>`;
  return html`<form id="selection" class="row selection" action="/events">
    ${others} ${write("from", "Select from", from!)} ${write("to", "to", to!)}
    <button class="btn s">Select</button>
    ${isSelected ? html`<a class="small" href="${writeSearchUrl(changeAddress(address, { from: [], to: [] }))}">Clear selection</a>` : null}
  </form>`;
}
