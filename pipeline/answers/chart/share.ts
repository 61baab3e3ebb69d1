import type { Markup } from "../../base/html/markup.ts";
import type { Share } from "./chart.ts";
import { draw, formatPercent } from "./svg.ts";

/** Draws a horizontal bar beside a written amount, hidden from screen readers. */
export function drawShare({ value, most, paint = "c1", height = 8 }: Share): Markup {
  // The least that there is can be seen.
  const part = most > 0 ? Math.min(1, Math.max(value / most, value > 0 ? 0.008 : 0)) : 0;
  return draw("svg", { class: "ch", height, "aria-hidden": "true" }, [
    draw("rect", { class: "bar-bg", width: "100%", height, rx: 2 }),
    draw("rect", { class: paint, width: formatPercent(part), height, rx: 2 }),
  ]);
}
