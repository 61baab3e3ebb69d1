import { drawSvg } from "../../chart/draw.ts";
import { maxMarks, newPointSum } from "../../chart/points.ts";
import { chartKinds, chartSpec, pictureTheme } from "../../chart/spec.ts";
import { AuditlakeError, UsageError } from "../../errors.ts";
import type { Render } from "../result.ts";

/** The chart that a report declares, as a picture; throws UsageError where it declares none that can be drawn. */
export const renderSvg: Render = async function* ({ columns, batches }, { about }) {
  const chart = about?.chart;
  if (about === undefined || chart === undefined)
    throw new UsageError("no chart is declared; add -- chart: bar x y to the report's header");
  if (!chartKinds.includes(chart.kind))
    throw new UsageError(
      `the chart is of kind ${JSON.stringify(chart.kind)}; expected ${chartKinds.join(" or ")}`,
    );
  const sum = newPointSum(chart, columns);
  if (sum === undefined)
    throw new UsageError(
      `the chart needs the columns ${chart.x} and ${chart.y}; the rows have ${columns.map(({ name }) => name).join(", ")}`,
    );
  for await (const batch of batches) sum.add(batch);
  const kind = columns.find(({ name }) => name === chart.x)!.kind;
  const points = sum.points();
  if (points === undefined)
    throw new AuditlakeError(
      `the rows have too many values of ${chart.x} for a chart; expected at most ${maxMarks}; ask for a shorter range`,
    );
  const spec = chartSpec(chart, kind, points, pictureTheme);
  yield `${await drawSvg({ ...spec, title: about.title }, about.title)}\n`;
};
