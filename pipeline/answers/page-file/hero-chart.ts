import { parseChart, type ChartForm } from "../../base/report/chart-form.ts";
import { formatTimeText } from "../../base/html/formats.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { formatDay, fromTimestamp } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import { formatAmount } from "../chart/scale.ts";
import { buildChart, type Drawable } from "../chart/build.ts";
import { sumSlot } from "../chart/dots.ts";
import { drawChart } from "../chart/draw-chart.ts";
import { newPointSum } from "../chart/points.ts";
import { describeAnswer } from "../report/reach.ts";
import { buildBlockQuestion, type PageContext } from "./context.ts";
import { parseMeasures } from "../findings/sentences.ts";
import type { OpenFinding } from "./open-findings.ts";

type HeroChart = { readonly report: string; readonly chart: string; readonly title: string };

// By what the finding measured, or the family of its detection; the first that fits.
const charts: readonly (HeroChart & { readonly fits: RegExp })[] = [
  {
    fits: /bytes|download|egress/,
    report: "downloads_by_day",
    chart: "dots x=day y=bytes scale=log unit=bytes",
    title: "Downloaded per day, all people, log scale",
  },
  {
    fits: /denial|fail|block|refus|column/,
    report: "denials_by_day",
    chart: "bars x=day y=denials stack=denial_kind unit=count",
    title: "Denials per day, all people",
  },
  {
    fits: /permission_changes|access/,
    report: "permission_edits_by_day",
    chart: "bars x=day y=edits unit=count",
    title: "Edits of permissions per day, all people",
  },
  {
    fits: /./,
    report: "activity_by_day",
    chart: "bars x=day y=events unit=count",
    title: "Events per day, all people",
  },
];

/** The chart beside the first finding: what it is about, day by day, with its own day marked. */
export async function drawHeroChart(
  finding: OpenFinding,
  context: PageContext,
): Promise<Markup | null> {
  const fitting = chooseChart(finding, context);
  const report = context.reports.get(fitting.report);
  if (report === undefined) return null;
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

function chooseChart({ measures, detection }: OpenFinding, { reports }: PageContext): HeroChart {
  const family = reports.get(detection)?.family ?? "unknown";
  const names = [...parseMeasures(measures).map(({ name }) => name), family];
  return charts.find(({ fits }) => names.some((name) => fits.test(name)))!;
}

// The day of the finding is labelled instead of the greatest.
function markDay(drawable: Drawable, { lastAt }: OpenFinding, { display }: PageContext): Drawable {
  if (drawable.type === "heat" || drawable.type === "ranking") return drawable;
  const day = formatDay(toWallMs(display.zone, fromTimestamp(lastAt)));
  const name = formatTimeText(day, display);
  const slot = drawable.chart.slots.findIndex((each) => each.name === name);
  const series = drawable.chart.series.map((each) => ({ ...each, marked: [slot] }));
  if (slot < 0) return drawable;
  const { unit } = drawable.chart;
  const amount = formatAmount(sumSlot(series, slot), unit);
  const notes = [{ slot, text: `${name}: ${amount}`, short: amount }];
  return { ...drawable, chart: { ...drawable.chart, series, notes } };
}
