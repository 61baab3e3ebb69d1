import { formatAmount } from "./scale.ts";
import type { AxisChart, Note } from "./chart.ts";
import { isFarAbove } from "./usual.ts";

// With three bars, labels would only repeat the bars.
const fewestSlots = 5;

/** Chooses direct labels: the maximum, and the slot farthest above its usual amount. */
export function chooseNotes(chart: AxisChart): Note[] {
  const sums = chart.slots.map(({ isPart }, slot) =>
    isPart === true ? 0 : chart.series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0),
  );
  const most = sums.reduce((a, b) => Math.max(a, b), 0);
  if (sums.length < fewestSlots || most <= 0) return [];
  const maximum = sums.indexOf(most);
  const isAlone = sums.indexOf(most, maximum + 1) < 0;
  const unusual = findMostUnusual(chart, sums);
  const slots = new Set([
    ...(isAlone ? [maximum] : []),
    ...(unusual === undefined ? [] : [unusual]),
  ]);
  return [...slots].map((slot) => writeNote(chart, slot, sums[slot]!));
}

function findMostUnusual({ usual = [] }: AxisChart, sums: readonly number[]): number | undefined {
  const ratios = sums.flatMap((sum, slot) => {
    const before = usual[slot] ?? null;
    return isFarAbove(sum, before) ? [{ slot, ratio: sum / Math.max(1, before!) }] : [];
  });
  return ratios.toSorted((a, b) => b.ratio - a.ratio || a.slot - b.slot)[0]?.slot;
}

// The largest part, where the bar is mostly of it, is its cause.
function writeNote({ slots, series, unit }: AxisChart, slot: number, sum: number): Note {
  const { name } = slots[slot]!;
  const parts = series.map((each) => ({ name: each.name, amount: each.values[slot] ?? 0 }));
  const [largest] = parts.toSorted((a, b) => b.amount - a.amount);
  const isCause = series.length > 1 && largest !== undefined && largest.amount * 2 >= sum;
  const cause = isCause
    ? `, ${formatAmount(largest.amount, unit)} ${largest.name.toLowerCase()}`
    : "";
  return {
    slot,
    text: `${name}: ${formatAmount(sum, unit)}${cause}`,
    short: `${formatAmount(sum, unit)} · ${name.replace(/^[A-Z][a-z]{2} (?=\d)/, "")}`,
  };
}
