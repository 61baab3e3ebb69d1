import { parseChart, type ChartForm } from "../../base/report/chart-form.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { formatDay, fromTimestamp } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import { buildChart, type Drawable } from "../chart/build.ts";
import { drawChart } from "../chart/draw-chart.ts";
import { newPointSum } from "../chart/points.ts";
import { describeAnswer } from "../report/reach.ts";
import { buildBlockQuestion, type PageContext } from "./context.ts";
import { parseMeasures } from "../findings/sentences.ts";
import type { OpenFinding } from "./open-findings.ts";

type HeroChart = { readonly report: string; readonly chart: string; readonly title: string };

// By what the finding measured; the first that fits.
const charts: readonly (HeroChart & { readonly measures: RegExp })[] = [
  {
    measures: /bytes|download/,
    report: "downloads_by_day",
    chart: "dots x=day y=bytes scale=log unit=bytes",
    title: "Downloaded per day, all people, log scale",
  },
  {
    measures: /denial|fail|refus|column/,
    report: "denials_by_day",
    chart: "bars x=day y=denials stack=denial_kind unit=count",
    title: "Denials per day, all people",
  },
];

/** The chart beside the first finding: what it measured, day by day, with its own day marked; nothing where none fits. */
export async function drawHeroChart(
  finding: OpenFinding,
  context: PageContext,
): Promise<Markup | null> {
  const names = parseMeasures(finding.measures).map(({ name }) => name);
  const fitting = charts.find(({ measures }) => names.some((name) => measures.test(name)));
  const report = context.reports.get(fitting?.report ?? "");
  if (fitting === undefined || report === undefined) return null;
  const form = parseChart(fitting.chart) as ChartForm;
  const asked = { report, given: new Map([["since", "30d"]]) };
  const question = buildBlockQuestion(asked, context, "now");
  const picture = await context.answer(report, question, async (answer) => {
    const sum = newPointSum(form, answer.columns);
    for await (const batch of answer.batches) sum?.add(batch);
    const about = describeAnswer(report, question.values, context.reach, context.nowMs);
    const points = sum?.points() ?? [];
    const drawable = buildChart(form, "time", points, { ...about, label: fitting.title });
    return drawChart(markDay(drawable, finding, context));
  });
  return html`<div>
    <div class="small muted">${fitting.title}</div>
    ${picture}
  </div>`;
}

function markDay(drawable: Drawable, { lastAt }: OpenFinding, { display }: PageContext): Drawable {
  if (drawable.type === "heat" || drawable.type === "ranking") return drawable;
  const day = formatDay(toWallMs(display.zone, fromTimestamp(lastAt)));
  const name = formatTimeText(day, display);
  const slot = drawable.chart.slots.findIndex((each) => each.name === name);
  const series = drawable.chart.series.map((each) =>
    slot < 0 ? each : { ...each, marked: [slot] },
  );
  return { ...drawable, chart: { ...drawable.chart, series } };
}
