import type { Manifest } from "../landing/manifests.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import type { Beginning, Landing, FetchTask, Unserved } from "./task.ts";
import type { Interval } from "../../base/time/periods.ts";

/** A fetch of a run, and the planned window that it belongs to. */
export type FetchJob = FetchTask & {
  readonly origin: Origin;
  readonly split?: Split;
  /** True for the second that remains where a range was split because of a page that the service does not serve. */
  readonly isUnserved?: boolean;
};

// `isWhole` where it is read, or given up, as one.
type Origin = { readonly planned: PlannedFetch; isWhole: boolean };
// The parts of a window that was given up as a whole, and how it began.
type Split = { readonly whole: Beginning | Unserved; parts: readonly Entry[] };

/** A job in the queue of fetches, and how far it is. */
export type Entry = {
  readonly job: FetchJob;
  isUnderWay: boolean;
  landing?: Promise<Landing>;
  /** What landed, once it has. */
  manifest?: Manifest;
  /** Resolves when the fetch is done and, if it was too long, its parts stand in its place. */
  finished?: Promise<void>;
};

/** The fetches of a run that are not handed out, in their order, and what was learnt of the service. */
export type Queue = {
  readonly entries: Entry[];
  readonly concurrency: number;
  readonly land: (task: FetchTask) => Promise<Landing>;
  isStopped: boolean;
  /** Whether the service was seen to look at the window it is asked for; neither is known at first. */
  honoursRange: boolean;
  ignoresRange: boolean;
  /** How many parts were split further while it was not known. */
  unprovenSplits: number;
  /** Whether any fetch has landed, so that the service is up and takes the settings. */
  hasLanded: boolean;
  /** How many fetches in a row had not even their first page, since one landed. */
  emptyHanded: number;
};

/** An entry that has not begun. */
export function entryOf(job: FetchJob): Entry {
  return { job, isUnderWay: false };
}

/** The first fetch of a window; one of a second or less is never split. */
export function jobOf({ startMs, endMs }: Interval, origin: Origin): FetchJob {
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
