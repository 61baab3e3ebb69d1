import { drawSvg } from "../../chart/draw.ts";
import { chartSpec, pictureTheme } from "../../chart/spec.ts";
import type { Render } from "../result.ts";
import { declaredChart } from "./declared.ts";

/** The chart that a report declares, as a picture; throws UsageError where it declares none that can be drawn. */
export const renderSvg: Render = async function* (result, { about }) {
  const { title, form, kind, points } = await declaredChart(result, about);
  const spec = chartSpec(form, kind, points, pictureTheme);
  yield `${await drawSvg({ ...spec, title }, title)}\n`;
};
