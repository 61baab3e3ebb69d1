import type { Markup } from "../../base/html/markup.ts";
import type { Sparkline } from "./chart.ts";
import { drawBox, drawImage } from "./svg.ts";

/** A column per day: the compared days dark, the same weekdays before one in half tone, days of a finding critical. */
export function drawSparkline(chart: Sparkline): Markup {
  const { values, height = 34, compared = values.length - 2, label } = chart;
  const lengths = values.map((value) =>
    chart.scale === "log" ? Math.log10(Math.max(0, value) + 1) : Math.max(0, value),
  );
  const most = Math.max(1e-9, ...lengths);
  const columns = values.map((value, day) => {
    const tall = Math.max(value > 0 ? 1.5 : 0.6, (lengths[day]! / most) * (height - 2));
    const [x, width] = [(day + 0.12) / values.length, 0.76 / values.length];
    return drawBox({ x, width, y: height - tall, height: tall }, chooseTone(chart, compared, day));
  });
  return drawImage(label, height, columns);
}

/** Draws amounts per day, which come as text: `2026-11-20 4,2026-11-22 1`. */
export function drawDays(
  text: string,
  days: readonly string[],
  chart: Omit<Sparkline, "values">,
): Markup {
  const amounts = new Map(text.split(",").map((part) => part.split(" ") as [string, string]));
  return drawSparkline({ ...chart, values: days.map((day) => Number(amounts.get(day) ?? 0)) });
}

function chooseTone(chart: Sparkline, compared: number, day: number): string {
  const { marked = [], length = 1, paint, values } = chart;
  if (paint !== undefined) return values[day]! > 0 ? paint : "s-dim";
  if (marked.includes(day)) return "s-hot";
  const before = compared - day;
  if (before >= 0 && before < length) return "s-on";
  if (length > 1) return "s-dim";
  return before > 0 && before <= 28 && before % 7 === 0 ? "s-mid" : "s-dim";
}
