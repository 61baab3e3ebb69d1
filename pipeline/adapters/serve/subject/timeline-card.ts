import type { Lanes } from "../../../answers/chart/lane.ts";
import { drawLanes } from "../../../answers/chart/lanes.ts";
import type { Slot } from "../../../answers/investigate/activity.ts";
import type { Range } from "../../../answers/investigate/subject.ts";
import { formatTimeRange } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { formatIso } from "../../../base/time/text.ts";
import type { Visit } from "../visit.ts";

/** The picture of a subject's timeline. */
export function writeTimelineCard(
  { display }: Visit,
  { sinceMs, untilMs }: Range,
  lanes: Lanes,
  slots: readonly Slot[],
): Markup {
  const events = slots.reduce((total, slot) => total + slot.events, 0);
  return html`<div class="card">
    <div class="hd">
      <h2>Timeline</h2>
      <span class="muted">${formatTimeRange(formatIso(sinceMs), formatIso(untilMs), display)}</span>
    </div>
    <div class="bd"></div>
    ${drawLanes(lanes)}
    <div class="foot">
      <span>${formatCount(events, "event")}</span><span class="sp"></span
      ><a href="#events">As a table</a>
    </div>
  </div>`;
}
