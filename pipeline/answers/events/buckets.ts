import type { Interval } from "../../base/time/periods.ts";
import { findMoments, toWallMs } from "../../base/time/wall.ts";

/** Borders of the buckets of a histogram in order: the first one is at or before the range, each bucket ends at the next. */
export type Buckets = {
  readonly borders: readonly number[];
  /** End of the last bucket, at or after the end of the range. */
  readonly endMs: number;
  /** All borders are multiples of it. */
  readonly slotMs: number;
  readonly unit: string;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
// 1970 began on a Thursday.
const mondayMs = 4 * dayMs;

type Step = { readonly upToMs: number; readonly stepMs: number; readonly unit: string };

// About 90 buckets each. Clocks of a zone are off by whole quarters of an hour.
const steps: readonly Step[] = [
  { upToMs: 2 * hourMs, stepMs: minuteMs, unit: "minute" },
  { upToMs: 8 * hourMs, stepMs: 5 * minuteMs, unit: "5 minutes" },
  { upToMs: 25 * hourMs, stepMs: 15 * minuteMs, unit: "15 minutes" },
  { upToMs: 2 * dayMs, stepMs: 30 * minuteMs, unit: "30 minutes" },
  { upToMs: 4 * dayMs, stepMs: hourMs, unit: "hour" },
  { upToMs: 9 * dayMs, stepMs: 2 * hourMs, unit: "2 hours" },
  { upToMs: 16 * dayMs, stepMs: 4 * hourMs, unit: "4 hours" },
  { upToMs: 32 * dayMs, stepMs: 8 * hourMs, unit: "8 hours" },
  { upToMs: 60 * dayMs - 1, stepMs: 12 * hourMs, unit: "12 hours" },
  { upToMs: 400 * dayMs, stepMs: dayMs, unit: "day" },
];
const longest: Step = { upToMs: Infinity, stepMs: 7 * dayMs, unit: "week" };
const mostBuckets = 1000;

/** Divides a range into about 90 buckets that begin when clocks of the zone show a multiple of their length. */
export function divideRange({ startMs, endMs }: Interval, zone: string): Buckets {
  const step = steps.find(({ upToMs }) => endMs - startMs <= upToMs) ?? longest;
  const lengthMs = step.stepMs * Math.ceil((endMs - startMs) / (step.stepMs * mostBuckets));
  const borders = listBorders({ startMs, endMs }, lengthMs, zone);
  const unit = lengthMs === step.stepMs ? step.unit : `${lengthMs / step.stepMs} ${step.unit}s`;
  return {
    borders: borders.slice(0, -1),
    endMs: borders.at(-1)!,
    slotMs: Math.min(lengthMs, 15 * minuteMs),
    unit,
  };
}

function listBorders({ startMs, endMs }: Interval, stepMs: number, zone: string): number[] {
  const originMs = stepMs % (7 * dayMs) === 0 ? mondayMs : 0;
  const floorMs = originMs + Math.floor((toWallMs(zone, startMs) - originMs) / stepMs) * stepMs;
  // Clocks that were set back show short steps twice, those before the first one among them.
  const isShort = stepMs <= hourMs;
  const borders = new Set<number>();
  let wallMs = isShort ? floorMs - 2 * hourMs : floorMs;
  for (let earliestMs = -Infinity; earliestMs < endMs; wallMs += stepMs) {
    const { moments, gapEnd } = findMoments(zone, wallMs);
    earliestMs = moments[0] ?? gapEnd!;
    for (const ms of isShort ? [earliestMs, ...moments] : [earliestMs]) borders.add(ms);
  }
  const sorted = [...borders].toSorted((a, b) => a - b);
  const from = sorted.findLastIndex((ms) => ms <= startMs);
  const to = sorted.findIndex((ms) => ms >= endMs);
  return sorted.slice(from, to + 1);
}
