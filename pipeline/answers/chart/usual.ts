const weeks = 4;
const fewest = 2;

/**
 * Computes the usual amount of a day: the median of the same weekday over up to four earlier weeks, from at least two
 * values. Null days, such as partial days, are not compared.
 */
export function computeUsual(daily: readonly (number | null)[], day: number): number | null {
  const before = listWeeksBefore(daily, day);
  return before.length < fewest ? null : computeMedian(before);
}

/** The amounts of the same weekday over up to four weeks before a day, the newest first. */
export function listWeeksBefore(daily: readonly (number | null)[], day: number): number[] {
  const places = Array.from({ length: weeks }, (_, i) => day - 7 * (i + 1));
  return places.map((place) => daily[place] ?? null).filter((amount) => amount !== null);
}

/** The median of amounts; there is at least one. */
export function computeMedian(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1]!, sorted[Math.floor(middle)]!];
  // Halves first: the sum of two great amounts can be too great for a number.
  return below === above ? below : below / 2 + above / 2;
}

const leastAbove = 10;
const ratioAbove = 1.7;

/** Decides whether an amount is far above the usual one: at least 10, and 1.7 times as much. */
export function isFarAbove(amount: number, usual: number | null): boolean {
  return usual !== null && amount >= leastAbove && amount >= ratioAbove * usual;
}
