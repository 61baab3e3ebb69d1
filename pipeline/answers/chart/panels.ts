import { html, type Markup } from "../../base/html/markup.ts";
import { formatAmount } from "./scale.ts";
import { drawBars } from "./bars.ts";
import type { AxisChart, Series } from "./chart.ts";
import { writeSwatch } from "../../base/html/signs.ts";
import { chooseNotes } from "./notes.ts";
import { computeUsual } from "./usual.ts";

/** From how many series on the parts of a stack are hard to compare. */
const fewest = 4;
const height = 118;

/** Draws each series of a stack by itself, on its own scale; nothing where the stack has three kinds or fewer. */
export function drawPanels(chart: AxisChart): Markup | undefined {
  if (chart.series.length < fewest) return undefined;
  const panels = chart.series.map((series) => drawPanel(chart, series));
  return html`<div class="grid g3">${panels}</div>`;
}

function drawPanel({ slots, usual, unit }: AxisChart, series: Series): Markup {
  const daily = slots.map(({ isPart }, i) => (isPart === true ? null : (series.values[i] ?? null)));
  const own = usual && { usual: slots.map((_, i) => computeUsual(daily, i)) };
  const chart = {
    label: series.name,
    slots,
    series: [series],
    height,
    ...own,
    ...(unit && { unit }),
  };
  // The maximum alone: a panel is small.
  const [note] = chooseNotes(chart);
  const notes =
    note === undefined ? [] : [{ ...note, text: note.short ?? note.text, short: undefined }];
  const total = series.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return html`<div class="card">
    <div class="hd">
      <h3>${writeSwatch(series.paint)} ${series.name}</h3>
      <span class="sp"></span>
      <span class="small muted">${formatAmount(total, unit)} in all, own scale</span>
    </div>
    <div class="bd">
      ${drawBars({ ...chart, notes: notes.map(({ slot, text }) => ({ slot, text })) })}
    </div>
  </div>`;
}
