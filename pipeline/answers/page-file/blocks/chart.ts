import { html } from "../../../base/html/markup.ts";
import type { ChartForm } from "../../../base/report/chart-form.ts";
import { countText, formatBytes } from "../../../base/terminal/amounts.ts";
import { buildChart } from "../../chart/build.ts";
import { drawChart, drawChartLegend } from "../../chart/draw-chart.ts";
import { newPointSum, type Point } from "../../chart/points.ts";
import { computeMedian, isFarAbove } from "../../chart/usual.ts";
import { describeAnswer } from "../../report/reach.ts";
import { compareDay, moveDay } from "../compare-days.ts";
import { buildBlockQuestion, type PageContext } from "../context.ts";
import { formatWeekdayName } from "../day-names.ts";
import type { Block } from "../page-file.ts";
import type { Shown } from "../days.ts";

/** A block `chart`: the rows of a report drawn as its header, or the block, declares. */
export async function writeChart(block: Block, context: PageContext): Promise<Shown> {
  const { report } = block.asked!;
  const form = block.chart!;
  const question = buildBlockQuestion(block.asked!, context, "now");
  return await context.answer(report, question, async (answer) => {
    const sum = newPointSum(form, answer.columns);
    for await (const batch of answer.batches) sum?.add(batch);
    const points = sum?.points() ?? [];
    const kind = answer.columns.find(({ name }) => name === form.x)?.kind ?? "text";
    const title = block.title ?? report.title;
    const about = describeAnswer(report, question.values, context.reach, context.nowMs);
    const drawable = buildChart(form, kind, points, { ...about, label: title, getHref: linkDay });
    const markup = html`<div class="card">
      <div class="hd">
        <h2>${title}</h2>
        <span class="sp"></span>${drawChartLegend(drawable)}
      </div>
      <div class="bd">
        ${points.length === 0 ? html`<p class="muted">No rows.</p>` : drawChart(drawable)}
      </div>
    </div>`;
    const comparison = compareLastDay(form, points, context);
    return comparison === undefined ? { markup } : { markup, comparison };
  });
}

// A day leads to its events.
function linkDay(x: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(x)) return undefined;
  return `/events?since=${x}&until=${moveDay(x, 1)}`;
}

// The total of the last whole day; a kind of it that is far above its own usual counts, too.
function compareLastDay(
  form: ChartForm,
  points: readonly Point[],
  { days }: PageContext,
): Shown["comparison"] {
  if (form.usual === undefined) return undefined;
  const { lastWhole, isWhole } = days;
  const total = compareDay(sumDays(points), lastWhole, isWhole);
  const format = form.unit === "bytes" ? formatBytes : countText;
  const weekday = formatWeekdayName(lastWhole);
  const { low, high } = total.range ?? { low: 0, high: 0 };
  const before =
    total.range === undefined
      ? ""
      : `; the ${weekday}s before ${low === high ? format(low) : `${format(low)}–${format(high)}`}`;
  const kinds = Map.groupBy(points, ({ series }) => series);
  const isAboveUsual = [...kinds.values()].some((own) => {
    const { value, earlier } = compareDay(sumDays(own), lastWhole, isWhole);
    return earlier.length > 1 && isFarAbove(value, computeMedian(earlier));
  });
  return {
    text: `${format(total.value)} on ${weekday}${before}`,
    isAbove: total.verdict === "above" || isAboveUsual,
  };
}

function sumDays(points: readonly Point[]): { days: string[]; amounts: number[] } {
  const sums = new Map<string, number>();
  for (const { x, y } of points) sums.set(x, (sums.get(x) ?? 0) + y);
  return { days: [...sums.keys()], amounts: [...sums.values()] };
}
