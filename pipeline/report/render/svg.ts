import { drawSvg } from "../../chart/draw.ts";
import { chartKinds, chartSpec, pictureTheme } from "../../chart/spec.ts";
import { UsageError } from "../../errors.ts";
import type { Render } from "../result.ts";
import { declaredChart } from "./declared.ts";

/** The chart that a report declares, as a picture; throws UsageError where it declares none that can be drawn. */
export const renderSvg: Render = async function* (result, { about }) {
  const declared = about?.chart?.kind ?? chartKinds[0]!;
  if (!chartKinds.includes(declared))
    throw new UsageError(
      `the chart is of kind ${JSON.stringify(declared)}; expected ${chartKinds.join(" or ")}`,
    );
  const { title, form, kind, points } = await declaredChart(result, about);
  const spec = chartSpec(form, kind, points, pictureTheme);
  yield `${await drawSvg({ ...spec, title }, title)}\n`;
};
