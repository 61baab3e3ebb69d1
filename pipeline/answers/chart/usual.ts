import type { Point } from "./points.ts";

const dayMs = 86_400_000;
const weeks = 4;

/** What is usual for each day: the median of the same weekday over up to four weeks before, from two values on. */
export function usualOf(
  points: readonly Point[],
): { readonly x: string; readonly usual: number }[] {
  const sums = new Map<number, number>();
  for (const { x, y } of points) {
    const day = Date.parse(x);
    sums.set(day, (sums.get(day) ?? 0) + y);
  }
  return [...new Set(points.map(({ x }) => x))].flatMap((x) => {
    const before = Array.from({ length: weeks }, (_, i) =>
      sums.get(Date.parse(x) - 7 * (i + 1) * dayMs),
    );
    const known = before.filter((sum) => sum !== undefined).toSorted((a, b) => a - b);
    return known.length < 2 ? [] : [{ x, usual: median(known) }];
  });
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1]!, sorted[Math.floor(middle)]!];
  return (below + above) / 2;
}
