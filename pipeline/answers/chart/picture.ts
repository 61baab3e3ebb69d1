import { type Markup, trustMarkup } from "../../base/html/markup.ts";
import type { Drawable } from "./build.ts";
import type { Series } from "./chart.ts";
import { drawChart } from "./draw-chart.ts";
import { getHeatHeight } from "./heat.ts";
import { readPictureStyle } from "./picture-style.ts";
import { defaultHeight } from "./plot.ts";
import { getRankingHeight } from "./ranking.ts";
import { draw } from "./svg.ts";

const width = 960;
const margin = 24;
const axisWidth = 58;

/** Draws a chart as a picture by itself: one SVG with its title, its series, its notes and its own style, on white. */
export function drawPicture(title: string, drawable: Drawable, notes: readonly string[]): Markup {
  const series = drawable.type === "heat" ? [] : drawable.chart.series;
  const entries = series.length > 1 ? drawSeries(series, 60) : { markup: [], bottom: 44 };
  const left = drawable.type === "ranking" ? margin : margin + axisWidth;
  const frame = { x: left, y: entries.bottom, width: width - left - margin };
  const chart = drawChart({ ...drawable, chart: { ...drawable.chart, frame } } as Drawable);
  const bottom = entries.bottom + getHeight(drawable) + 18;
  const height = bottom + 18;
  const content = [
    trustMarkup(`<style>${readPictureStyle()}</style>`),
    draw("rect", { width, height, fill: "#fff" }),
    draw("text", { class: "title", x: margin, y: 32 }, title),
    ...entries.markup,
    chart,
    draw("text", { x: margin, y: bottom }, notes.join(" · ")),
  ];
  const view = {
    class: "ch",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": title,
  };
  return draw("svg", { xmlns: "http://www.w3.org/2000/svg", ...view }, content);
}

// Letters are about so wide.
const letter = 6.6;

function drawSeries(series: readonly Series[], top: number): { markup: Markup[]; bottom: number } {
  let [x, y] = [margin, top];
  const markup = series.flatMap(({ name, paint }) => {
    const itemWidth = 16 + [...name].length * letter + 14;
    if (x > margin && x + itemWidth > width - margin) [x, y] = [margin, y + 20];
    const entry = [
      draw("rect", { class: paint, x, y: y - 9, width: 10, height: 10 }),
      draw("text", { x: x + 16, y }, name),
    ];
    x += itemWidth;
    return entry;
  });
  return { markup, bottom: y + 14 };
}

function getHeight(drawable: Drawable): number {
  if (drawable.type === "heat") return getHeatHeight(drawable.chart);
  if (drawable.type === "ranking") return getRankingHeight(drawable.chart);
  return drawable.chart.height ?? defaultHeight;
}
