import { html, type Markup } from "../../base/html/markup.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { formatClock, parseSpaced } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import { drawSparkline } from "../chart/sparkline.ts";
import { draw, drawBox, drawImage, drawRule, formatPercent } from "../chart/svg.ts";
import { formatShortDay, formatWeekday } from "../chart/ticks.ts";
import type { Finding } from "./find.ts";
import { type FindingMark, listMarks, type PictureEvent, writeMarks } from "./picture-marks.ts";

const height = 26;
const axis = 22;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Picture = { readonly svg: Markup; readonly caption: string };

/**
 * The small picture of a finding in a list, from its events: the week of a single one, a line of time for events of up to
 * two weeks, else 30 days as a sparkline. Ticks are failures and denials, squares changes, dots uses, sized by data.
 */
export function drawFindingPicture(
  { severity, lastAt }: Pick<Finding, "severity" | "lastAt">,
  events: readonly PictureEvent[],
  zone = "UTC",
): Markup {
  const { svg, caption } = choosePicture(severity, lastAt, events, zone);
  return html`<div class="mini only-w">
    ${svg}
    <div class="small muted nowrap">${caption}</div>
  </div>`;
}

function choosePicture(
  severity: string,
  lastAt: string,
  events: readonly PictureEvent[],
  zone: string,
): Picture {
  const marks = listMarks(severity, events, zone).toSorted((a, b) => a.at - b.at);
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined)
    return drawDays([], toWallMs(zone, parseSpaced(`${lastAt.slice(0, 19)}Z`)));
  const span = last.at - first.at;
  if (span === 0) return drawWeek(marks);
  return span <= 14 * dayMs ? drawLineOfTime(marks, first.at, last.at) : drawDays(marks, last.at);
}

// From Monday to Sunday, so that weekends and nights are visible.
function drawWeek(marks: readonly FindingMark[]): Picture {
  const { at } = marks[0]!;
  const monday = Math.floor((at / dayMs - 4) / 7) * 7 * dayMs + 4 * dayMs;
  const shown = { from: monday, to: monday + 7 * dayMs };
  const caption = `${formatWeekday(at)} ${formatClock(at)}`;
  return { svg: drawMarks(marks, shown, `${writeMarks(marks)}, ${caption}`), caption };
}

function drawLineOfTime(marks: readonly FindingMark[], from: number, to: number): Picture {
  const edge = (to - from) * 0.06;
  const words = writeMarks(marks);
  const times = writeSpan(from, to);
  // About 30 letters fit.
  const caption = words.length + times.length < 28 ? `${words}, ${times}` : words;
  return {
    svg: drawMarks(marks, { from: from - edge, to: to + edge }, `${words}, ${times}`),
    caption,
  };
}

function writeSpan(from: number, to: number): string {
  const isOneDay = Math.floor(from / dayMs) === Math.floor(to / dayMs);
  return isOneDay
    ? `${formatClock(from)}–${formatClock(to)}`
    : `${formatShortDay(from)} – ${formatShortDay(to)}`;
}

type Range = { readonly from: number; readonly to: number };

function drawMarks(marks: readonly FindingMark[], range: Range, label: string): Markup {
  const ground = range.to - range.from > 2 * dayMs ? drawWeekends(range) : [];
  const base = drawRule("ax", [0, 1], [axis + 0.5, axis + 0.5]);
  // Large dots lie below small ones, and ticks above all.
  const order = marks.toSorted((a, b) => b.bytes - a.bytes);
  return drawImage(label, height, [...ground, base, ...order.map((mark) => drawMark(mark, range))]);
}

function drawWeekends({ from, to }: Range): Markup[] {
  const first = Math.floor(from / dayMs) * dayMs;
  const days = Array.from({ length: Math.ceil((to - first) / dayMs) }, (_, i) => first + i * dayMs);
  return days
    .filter((day) => [0, 6].includes(new Date(day).getUTCDay()))
    .map((day) => {
      const [x, end] = [
        Math.max(0, (day - from) / (to - from)),
        Math.min(1, (day + dayMs - from) / (to - from)),
      ];
      return drawBox({ x, width: end - x, y: 2, height: axis - 2 }, "wk");
    });
}

const largestDot = 10;

function drawMark({ at, kind, paint, bytes }: FindingMark, { from, to }: Range): Markup {
  const x = formatPercent((at - from) / (to - from));
  switch (kind) {
    case "tick":
      return draw("rect", { class: paint, x, width: 2, y: 8, height: axis - 8 });
    case "square":
      return draw("rect", {
        class: paint,
        x,
        width: 8,
        height: 8,
        y: 10,
        transform: "translate(-4 0)",
      });
    case "dot":
      return draw("circle", { class: `${paint} dotf`, cx: x, cy: 14, r: 4.5 });
    case "sized": {
      const r = Math.min(largestDot, 3 + 7 * Math.sqrt(bytes / 2e9));
      return draw("circle", { class: `${paint} dotf`, cx: x, cy: 13, r });
    }
  }
}

const daysShown = 30;

// Days of a mark are those of the finding.
function drawDays(marks: readonly FindingMark[], lastMs: number): Picture {
  const lastDay = Math.floor(lastMs / dayMs);
  const values = Array.from({ length: daysShown }, () => 0);
  for (const { at } of marks) {
    const day = daysShown - 1 - (lastDay - Math.floor(at / dayMs));
    if (day >= 0) values[day]! += 1;
  }
  const marked = values.flatMap((value, day) => (value > 0 ? [day] : []));
  const words = new Set(marks.map(({ word }) => word));
  const [word = "event"] = words.size === 1 ? words : [];
  const caption = `${marks.length === 0 ? "no events" : formatCount(marks.length, word)} in 30 days`;
  const compared = daysShown - 1;
  return { svg: drawSparkline({ label: caption, values, height, compared, marked }), caption };
}
