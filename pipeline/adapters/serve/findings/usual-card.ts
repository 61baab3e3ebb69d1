import { drawBars } from "../../../answers/chart/bars.ts";
import type { Slot } from "../../../answers/chart/chart.ts";
import {
  chooseDayMeasure,
  type DayMeasure,
  dayMeasures,
  type UsualDay,
} from "../../../answers/findings/usual-days.ts";
import { formatMeasure } from "../../../answers/findings/sentences.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writePlainTable } from "../../../base/html/table.ts";
import { countText } from "../../../base/terminal/amounts.ts";

const titles: Readonly<Record<DayMeasure, string>> = {
  downloads: "Downloads in a day",
  bytes: "Downloaded in a day",
  denials: "Denials in a day",
  failed_sign_ins: "Failed sign-ins in a day",
  grants: "Rights granted in a day",
  events: "Events in a day",
};

/** Writes the usual values: the days of others by amount, with the subject marked, and a table of all measures. */
export function writeUsualCard(
  subject: string,
  measures: readonly { readonly name: string }[],
  days: readonly UsualDay[],
): Markup | null {
  const shown = dayMeasures.flatMap((name) => days.filter(({ measure }) => measure === name));
  if (shown.length === 0) return null;
  const chosen = chooseDayMeasure(measures, days);
  return html`<div class="card">
    <div class="hd">
      <h2>What is usual</h2>
      ${chosen === undefined ? null : html`<span class="muted">${titles[chosen.measure].toLowerCase()}, days of others in the 30 days before</span>`}
    </div>
    ${chosen === undefined ? html`<div class="bd"></div>` : html`<div class="bd">${drawDistribution(subject, chosen)}</div>`}
    ${writePlainTable("What is usual", ["Measure", [subject, "n"], ["Others, median", "n p3"], ["Others, highest", "n"]], shown.map(writeRow))}
  </div>`;
}

function writeRow({ measure, own, median, highest }: UsualDay): Markup {
  const format = (amount: number | null): Markup =>
    amount === null ? html`<span class="muted">—</span>` : html`${formatMeasure(measure, amount)}`;
  const isAbove = own > (highest ?? 0);
  return html`<tr>
    <td class="fx">${titles[measure]}</td>
    <td class="n">${isAbove ? html`<b class="up">${format(own)}</b>` : format(own)}</td>
    <td class="n p3">${format(median)}</td>
    <td class="n">${format(highest)}</td>
  </tr>`;
}

function writeBin(bin: number): string {
  const [from, to] = [Math.ceil(10 ** (bin / 2)), Math.ceil(10 ** ((bin + 1) / 2)) - 1];
  return from === to ? countText(from) : `${countText(from)}–${countText(to)}`;
}

const findBin = (amount: number): number => Math.floor(Math.log10(amount) * 2);

function drawDistribution(
  subject: string,
  { measure, own, bins, days, highest }: UsualDay,
): Markup {
  const ownBin = findBin(own);
  const all = [...bins.keys(), ownBin];
  const first = Math.min(...all);
  const count = Math.max(...all) - first + 1;
  // With few bins, both ends fit into the label.
  const isShort = count <= 6 && measure !== "bytes";
  const slots = Array.from({ length: count }, (_, n): Slot => {
    const bin = first + n;
    const [from, to] = [
      formatMeasure(measure, Math.ceil(10 ** (bin / 2))),
      formatMeasure(measure, Math.ceil(10 ** ((bin + 1) / 2))),
    ];
    return {
      name: `${from} to ${to}`,
      ...(isShort ? { label: writeBin(bin) } : bin % 2 === 0 ? { label: from } : {}),
      isMinor: !isShort && bin % 4 !== 0,
      tip: [
        `${countText(bins.get(bin) ?? 0)} days of others`,
        ...(bin === ownBin ? [`${subject}: ${formatMeasure(measure, own)}`] : []),
      ],
    };
  });
  const values = slots.map((_, n) => bins.get(first + n) ?? 0);
  const most = Math.max(...values);
  return drawBars({
    label: `${titles[measure]}: days of others by amount, with ${subject}`,
    height: 130,
    slots,
    series: [
      { name: "Days of others", paint: "sl", values },
      {
        name: subject,
        paint: "crf",
        values: slots.map((_, n) => (first + n === ownBin ? Math.max(1, most / 25) : 0)),
      },
    ],
    notes: [
      {
        slot: ownBin - first,
        text: `${subject} ${formatMeasure(measure, own)}; ${countText(days)} days of others, at most ${formatMeasure(measure, highest ?? 0)}`,
        short: formatMeasure(measure, own),
      },
    ],
  });
}
