import type { Markup } from "../../base/html/markup.ts";
import { drawBars } from "./bars.ts";
import type { Drawable } from "./build.ts";
import { drawDots } from "./dots.ts";
import { drawHeat } from "./heat.ts";
import { drawLine } from "./line.ts";
import { drawRanking } from "./ranking.ts";

export function drawChart(drawable: Drawable): Markup {
  switch (drawable.type) {
    case "bars":
      return drawBars(drawable.chart);
    case "dots":
      return drawDots(drawable.chart);
    case "line":
      return drawLine(drawable.chart);
    case "heat":
      return drawHeat(drawable.chart);
    case "ranking":
      return drawRanking(drawable.chart);
  }
}
