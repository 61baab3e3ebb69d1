import { readAsset } from "../../base/home/assets.ts";
import { type Markup, trustMarkup } from "../../base/html/markup.ts";
import type { Drawable } from "./build.ts";
import type { Series } from "./chart.ts";
import { drawChart } from "./draw-chart.ts";
import { getHeatHeight } from "./heat.ts";
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

// Rules of marks and of text; those of pages (legends, tooltips, other widths) have no place in a picture.
const markRule =
  /^(?:svg\.ch text|\.(?:ax|gl|wk|use|lead|c\d|ok|fail|deny|crf|hgf|medf|lowf|acc|sl|ln|part|hat|dotf|bar-bg|q\d|only-n)\b)/;

/** The style of charts as a picture has it: the same rules, their colours written out. */
function readPictureStyle(): string {
  const css = readAsset("pipeline/base/html/style/charts.css").replaceAll(/\/\*.*?\*\//gs, "");
  const colors = readLightColors();
  const [all = ""] = css.split("@media");
  const rules = [...all.matchAll(/(?<![^{}])([^{}]+)\{([^{}]*)\}/g)].flatMap(
    ([, selector = "", body = ""]) =>
      markRule.test(selector.trim()) ? [`${selector.trim()}{${shorten(body, colors)}}`] : [],
  );
  return [...rules, "svg.ch text.title{font-size:17px;font-weight:650;fill:#141b26}"].join("");
}

// A picture is looked at and printed on white, and viewers of pictures know no variables.
function readLightColors(): ReadonlyMap<string, string> {
  const tokens = readAsset("pipeline/base/html/style/tokens.css");
  const all = tokens.matchAll(/(?<![\w-])--([\w-]+): light-dark\(([^,]+),/g);
  return new Map([...all].map(([, name = "", light = ""]) => [name, light]));
}

function shorten(body: string, colors: ReadonlyMap<string, string>): string {
  const plain = body.replaceAll(/\s+/g, " ").trim();
  return plain.replaceAll(/var\(--([\w-]+)\)/g, (_, name: string) => colors.get(name) ?? "#000");
}
