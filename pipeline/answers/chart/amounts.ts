import { countText, formatBytes, formatDuration } from "../../base/terminal/amounts.ts";
import type { Unit } from "./chart.ts";

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
