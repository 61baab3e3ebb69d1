import type { TableColumn } from "../../../base/html/columns.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Row } from "../../../base/rows/row.ts";
import type { Display } from "../../../base/html/formats.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import type { AxisChart, Series } from "../../../answers/chart/chart.ts";
import { sumSlot } from "../../../answers/chart/dots.ts";
import { computeUsual, isFarAbove } from "../../../answers/chart/usual.ts";

/** A stack by day: its chart, the day of each slot, and where a value leads to from the link of its day. */
export type DayStack = {
  readonly chart: AxisChart;
  readonly days: readonly string[];
  readonly getHref?: (dayHref: string, value: string) => string | undefined;
};

/** The table of a stack by day: a row per day, the newest first, and a column for each kind. */
export function writeDayTable({ chart, days, getHref }: DayStack, display: Display): Markup {
  const rows = days
    .map((day, slot): Row => [
      day,
      sumSlot(chart.series, slot),
      chart.slots[slot]!.isPart === true ? null : (chart.usual?.[slot] ?? null),
      ...chart.series.map(({ values }) => values[slot] ?? null),
    ])
    .toReversed();
  const usuals = new Map(chart.series.map((series) => [series, listUsual(chart, series)] as const));
  const columns: TableColumn[] = [
    {
      name: "day",
      type: "DATE",
      kind: "time",
      write: (day) => writeDay(chart, days.indexOf(String(day))),
    },
    {
      name: "all",
      type: "BIGINT",
      kind: "number",
      write: (all) => html`<b>${countText(Number(all))}</b>`,
    },
    { name: "usual", type: "DOUBLE", kind: "number", isMinor: true },
    ...chart.series.map((series, i): TableColumn => ({
      name: `kind ${i}`,
      title: series.name,
      type: "BIGINT",
      kind: "number",
      isHidden: false,
      write: (amount, row) => {
        const slot = days.indexOf(String(row[0]));
        const dayHref = chart.slots[slot]?.href;
        const isLinked = dayHref !== undefined && series.value !== undefined && Number(amount) > 0;
        const href = isLinked ? getHref?.(dayHref, series.value) : undefined;
        return writeAmount(Number(amount), usuals.get(series)![slot] ?? null, href);
      },
    })),
  ];
  const above = [...usuals].reduce(
    (sum, [{ values }, usual]) =>
      sum + values.filter((amount, slot) => isFarAbove(amount ?? 0, usual[slot] ?? null)).length,
    0,
  );
  const legend =
    chart.usual === undefined ? "" : " · ▲ at least 10 and 1.7 times the usual of that weekday";
  return writeTable({
    columns: chart.usual === undefined ? columns.filter(({ name }) => name !== "usual") : columns,
    rows: chart.usual === undefined ? rows.map((row) => row.toSpliced(2, 1)) : rows,
    label: `${chart.label}, by day`,
    display,
    title: "By day",
    note: above === 0 ? undefined : `${formatCount(above, "count")} above usual`,
    foot: html`<span>${formatCount(days.length, "day")}${legend}</span>`,
  });
}

// Part days are compared with nothing.
function listUsual({ slots, usual }: AxisChart, { values }: Series): (number | null)[] {
  if (usual === undefined) return [];
  const daily = slots.map(({ isPart }, slot) => (isPart === true ? null : (values[slot] ?? null)));
  return slots.map(({ isPart }, slot) => (isPart === true ? null : computeUsual(daily, slot)));
}

function writeDay({ slots }: AxisChart, slot: number): Markup {
  const { name, href, isPart } = slots[slot]!;
  const part = isPart === true ? html` <span class="muted only-w">part of the day</span>` : null;
  return html`${href === undefined ? name : html`<a href="${href}">${name}</a>`}${part}`;
}

function writeAmount(
  amount: number,
  usual: number | null,
  href: string | undefined,
): Markup | undefined {
  const text = countText(amount);
  const linked = href === undefined ? undefined : html`<a href="${href}">${text}</a>`;
  if (!isFarAbove(amount, usual)) return linked;
  return html`<b class="up" title="usual: ${countText(Math.round(usual!))}"
    >▲ ${linked ?? text}</b
  >`;
}
