import { drawBars } from "../../../answers/chart/bars.ts";
import type { Lanes } from "../../../answers/chart/lane.ts";
import { drawLanes } from "../../../answers/chart/lanes.ts";
import { drawLegend } from "../../../answers/chart/draw-chart.ts";
import { listSlots } from "../../../answers/chart/slots.ts";
import { type Buckets, divideRange } from "../../../answers/events/buckets.ts";
import { type Slot, sumSlots } from "../../../answers/investigate/activity.ts";
import { formatTimeRange } from "../../../base/html/formats.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { formatIso, toTimestamp } from "../../../base/time/text.ts";
import { toWallMs } from "../../../base/time/wall.ts";
import { buildPageUrl } from "../range.ts";
import type { SubjectVisit } from "./visit.ts";

/** The picture of a subject's timeline: all events over the range, in which a drag or a bar zooms, and lanes of it. */
export function writeTimelineCard(
  subjectVisit: SubjectVisit,
  lanes: Lanes,
  slots: readonly Slot[],
): Markup {
  const { visit, range } = subjectVisit;
  const { sinceMs, untilMs } = range;
  const buckets = divideRange({ startMs: sinceMs, endMs: untilMs }, visit.display.zone);
  const events = sumSlots(slots, (slot) => slot.events);
  const series = listSeries(buckets, slots);
  // The lanes have the borders of the bars, so that both are below each other.
  const [startMs, endMs] = [buckets.borders[0]!, buckets.endMs].map((ms) =>
    toWallMs(visit.display.zone, ms),
  );
  return html`<div class="card">
    <div class="hd">
      <h2>Timeline</h2>
      <span class="muted"
        >${formatTimeRange(formatIso(sinceMs), formatIso(untilMs), visit.display)}, per
        ${buckets.unit}</span
      >
      <span class="sp"></span>${drawLegend(series)}
    </div>
    <div class="bd"></div>
    <div class="lane all">
      <div class="ll">All events<span>${countText(events)}</span></div>
      ${drawOverview(subjectVisit, buckets, series)}
    </div>
    ${drawLanes({ ...lanes, startMs: startMs!, endMs: endMs! })}
    <div class="foot">
      ${(lanes.legend ?? "") === "" ? null : html`<span>${lanes.legend}</span>`}
      <span class="only-w">Drag over the bars to zoom; a dot leads to its events</span>
      <span class="sp"></span><a href="#events">As a table</a>
    </div>
  </div>`;
}

function listSeries({ borders }: Buckets, slots: readonly Slot[]) {
  const count = (isOfSeries: (slot: Slot) => boolean): number[] => {
    const values = borders.map(() => 0);
    for (const slot of slots)
      if (isOfSeries(slot)) {
        const at = borders.findLastIndex((border) => border <= slot.slotMs);
        values[Math.max(0, at)]! += slot.events;
      }
    return values;
  };
  return [
    { name: "failed or denied", paint: "fail" as const, values: count((s) => s.lane === "denial") },
    { name: "other events", paint: "ok" as const, values: count((s) => s.lane !== "denial") },
  ];
}

function drawOverview(
  { visit }: SubjectVisit,
  { borders, endMs, unit }: Buckets,
  series: ReturnType<typeof listSeries>,
): Markup {
  const edges = [...borders, endMs].map(formatIso);
  const starts = borders.map((border) => toTimestamp(toWallMs(visit.display.zone, border)));
  const bars = drawBars({
    label: `Events per ${unit}`,
    height: 92,
    series,
    slots: listSlots(starts, (i) => ({
      href: buildPageUrl(visit, { since: edges[i]!, until: edges[i + 1]!, before: null }),
    })),
    brush: { form: "zoom", edges },
  });
  const { since, until } = visit.range;
  return html`${bars}
    <form id="zoom" action="${visit.path}">
      <input type="hidden" name="since" value="${escapeField(since)}" />
      <input type="hidden" name="until" value="${escapeField(until)}" />
    </form>`;
}
