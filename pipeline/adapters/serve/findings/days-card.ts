import { severities } from "../../../../schemas/detections.ts";
import { drawBars } from "../../../answers/chart/bars.ts";
import type { Bars, Paint } from "../../../answers/chart/chart.ts";
import { drawLegend } from "../../../answers/chart/legend.ts";
import type { countDays } from "../../../answers/findings/queue.ts";
import { formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { formatDay } from "../../../base/time/text.ts";
import type { QueueRequest } from "./filter.ts";

const dayMs = 86_400_000;
const paints: Readonly<Record<(typeof severities)[number], Paint>> = {
  critical: "crf",
  high: "hgf",
  medium: "medf",
  low: "lowf",
  info: "sl",
};
const mostDays = 120;

/** A chart of findings per day and severity; null where the range is no number of days that can be shown. */
export function writeDaysCard(
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
