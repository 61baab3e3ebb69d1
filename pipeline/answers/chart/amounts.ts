import { countText, formatBytes, formatDuration } from "../../base/terminal/amounts.ts";
import type { Unit } from "./chart.ts";

/** An amount for people, in its unit. */
export function formatAmount(amount: number, unit: Unit = "count"): string {
  if (amount < 0) return `−${formatAmount(-amount, unit)}`;
  if (unit === "bytes") return formatBytes(amount);
  if (unit === "seconds" && amount >= 1) return formatDuration(amount);
  const suffix = unit === "seconds" ? " s" : "";
  return `${formatNumber(amount)}${suffix}`;
}

// Fractions have three digits at most.
function formatNumber(amount: number): string {
  if (Number.isInteger(amount)) return amount < 1e21 ? countText(amount) : String(amount);
  return amount >= 1000 ? countText(Math.round(amount)) : String(Number(amount.toPrecision(3)));
}
