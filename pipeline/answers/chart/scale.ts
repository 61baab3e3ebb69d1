import type { Markup } from "../../base/html/markup.ts";
import { countText, formatBytes, formatDuration } from "../../base/terminal/amounts.ts";
import type { Share, Unit } from "./chart.ts";
import { draw, formatPercent } from "./svg.ts";

/** Places amounts between the bottom (0) and the top (1) of a plot. */
export type Scale = {
  readonly ticks: readonly number[];
  /** Between 0 and 1; below the scale is 0. */
  readonly place: (amount: number) => number;
};

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

// People read seconds as minutes and hours.
const spans = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
];

/** The end of an axis: the least of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 × 10ⁿ that is not below an amount. */
export function roundTop(amount: number, unit: Unit = "count"): number {
  if (!(amount > 0)) return 1;
  const span = unit === "seconds" ? spans.find((each) => each >= amount) : undefined;
  if (span !== undefined && amount >= 1) return span;
  const power = 10 ** Math.floor(Math.log10(amount));
  const step = steps.find((each) => each * power >= amount);
  // The logarithm of a power of ten can fall below it.
  return Math.min((step ?? 10) * power, Number.MAX_VALUE);
}

/** From 0 to a round top, with a tick at the half where it is no fraction of a count; below 0 only for such amounts. */
export function newLinearScale(amounts: readonly number[], unit: Unit = "count"): Scale {
  const [high, low] = [getGreatest(amounts), -getGreatest(amounts.map((amount) => -amount))];
  const top = high > 0 || low === 0 ? roundTop(high, unit) : 0;
  const bottom = low < 0 ? -roundTop(-low, unit) : 0;
  const areWhole = unit !== "seconds" && amounts.every(Number.isInteger);
  const half = areWhole && !Number.isInteger(top / 2) ? [] : [top / 2];
  const ticks = bottom < 0 ? [bottom, 0, ...(top > 0 ? [top] : [])] : [0, ...half, top];
  // Halves first: the difference of two great amounts can be too great for a number.
  const span = top / 2 - bottom / 2;
  return { ticks, place: (amount) => clampShare((amount / 2 - bottom / 2) / span) };
}

const mostTicks = 4;

/** Powers of ten, for amounts above 0; bytes have their ticks at units: 1 kB, 1 MB, 1 GB. */
export function newLogScale(amounts: readonly number[], unit: Unit = "count"): Scale {
  const logs = amounts.filter((amount) => amount > 0).map(Math.log10);
  const [least, most] = [
    logs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    logs.reduce((a, b) => Math.max(a, b), 0),
  ];
  const low = logs.length === 0 ? 0 : Math.floor(least - 0.1);
  const high = Math.max(low + 1, Math.ceil(most + 0.02));
  const powers = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  const units = powers.filter((power) => power % 3 === 0);
  const usable = unit === "bytes" && units.length > 1 ? units : powers;
  const every = Math.ceil(usable.length / mostTicks);
  const ticks = usable.filter((_, i) => i % every === 0).map((power) => 10 ** power);
  const place = (amount: number): number =>
    amount > 0 ? clampShare((Math.log10(amount) - low) / (high - low)) : 0;
  return { ticks, place };
}

function clampShare(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** The greatest of amounts, at least 0: there can be more of them than a call takes arguments. */
function getGreatest(amounts: readonly number[]): number {
  return amounts.reduce((most, amount) => Math.max(most, amount), 0);
}

/** Draws a horizontal bar beside a written amount, hidden from screen readers. */
export function drawShare({ value, most, paint = "c1", height = 8 }: Share): Markup {
  // The least that there is can be seen.
  const part = most > 0 ? Math.min(1, Math.max(value / most, value > 0 ? 0.008 : 0)) : 0;
  return draw("svg", { class: "ch", height, "aria-hidden": "true" }, [
    draw("rect", { class: "bar-bg", width: "100%", height, rx: 2 }),
    draw("rect", { class: paint, width: formatPercent(part), height, rx: 2 }),
  ]);
}

export function formatAmount(amount: number, unit: Unit = "count"): string {
  if (amount < 0) return `−${formatAmount(-amount, unit)}`;
  if (unit === "bytes") return formatBytes(amount);
  if (unit === "seconds" && amount >= 1) return formatDuration(amount);
  const suffix = unit === "seconds" ? " s" : "";
  return `${formatNumber(amount)}${suffix}`;
}

/** The same for the tick of an axis: a count of millions is `2.5 M`, and bytes end without zeros: `1 GB`. */
export function formatTick(amount: number, unit: Unit = "count"): string {
  if (unit === "bytes") return formatAmount(amount, unit).replace(/\.0+ /, " ");
  if (unit === "seconds" || Math.abs(amount) < 1e6) return formatAmount(amount, unit);
  return amount < 1e15 ? `${formatAmount(amount / 1e6)} M` : amount.toExponential(1);
}

// Fractions have three digits at most.
function formatNumber(amount: number): string {
  if (Number.isInteger(amount)) return amount < 1e21 ? countText(amount) : String(amount);
  return amount >= 1000 ? countText(Math.round(amount)) : String(Number(amount.toPrecision(3)));
}
