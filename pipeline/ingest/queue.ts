import type { Manifest } from "../landing/manifests.ts";
import type { PlannedRead } from "./plan-reads.ts";
import type { Beginning, Landing, ReadTask } from "./task.ts";
import type { Interval } from "../moments/interval.ts";

/** A read of a run, and the planned window that it belongs to. */
export type ReadJob = ReadTask & { readonly origin: Origin; readonly split?: Split };

// `isWhole` where it is read, or given up, as one.
type Origin = { readonly planned: PlannedRead; isWhole: boolean };
// The parts of a window that was too long, and how it began.
type Split = { readonly whole: Beginning; parts: readonly Entry[] };

/** A job in the queue of reads, and how far it is. */
export type Entry = {
  readonly job: ReadJob;
  isUnderWay: boolean;
  landing?: Promise<Landing>;
  /** What landed, once it has. */
  manifest?: Manifest;
  /** Resolves when the read is done and, if it was too long, its parts stand in its place. */
  finished?: Promise<void>;
};

/** The reads of a run that are not handed out, in their order, and what was learnt of the service. */
export type Queue = {
  readonly entries: Entry[];
  readonly concurrency: number;
  readonly land: (task: ReadTask) => Promise<Landing>;
  isStopped: boolean;
  /** Whether the service was seen to look at the window it is asked for; neither is known at first. */
  honoursRange: boolean;
  ignoresRange: boolean;
  /** How many parts were split further while it was not known. */
  unprovenSplits: number;
};

/** An entry that has not begun. */
export function entryOf(job: ReadJob): Entry {
  return { job, isUnderWay: false };
}

/** The first read of a window; one of a second or less is never split. */
export function jobOf({ startMs, endMs }: Interval, origin: Origin): ReadJob {
  const isOneSecond = endMs - startMs <= 1000;
  const maySplit = !origin.isWhole && !isOneSecond;
  const { planned } = origin;
  const isPlanned = planned.startMs === startMs && planned.endMs === endMs;
  const confirming = isPlanned ? planned.confirming : undefined;
  return { window: { startMs, endMs }, round: 1, maySplit, origin, confirming };
}

/** Puts others in the place of an entry. */
export function replace({ entries }: Queue, entry: Entry, others: readonly Entry[]): void {
  const [, ...after] = entries.splice(entries.indexOf(entry));
  for (const one of others) entries.push(one);
  for (const one of after) entries.push(one);
}
