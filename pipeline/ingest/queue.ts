import type { Manifest } from "../landing/manifests.ts";
import type { Window } from "../source/audits.ts";
import type { PlannedRead } from "./plan.ts";
import type { Beginning, Landing, ReadTask } from "./task.ts";

/** A read of a run, and the planned window that it belongs to. */
export type ReadJob = ReadTask & { readonly origin: Origin; readonly cut?: Cut };

// `isWhole` where it is read, or given up, as one.
type Origin = { readonly planned: PlannedRead; isWhole: boolean };
// The parts of a window that was too long, and how it began.
type Cut = { readonly whole: Beginning; parts: readonly Turn[] };

/** A job in the line of reads, and how far it is. */
export type Turn = {
  readonly job: ReadJob;
  isUnderWay: boolean;
  landing?: Promise<Landing>;
  /** What landed, once it has. */
  manifest?: Manifest;
  /** Resolves when the read is done and, if it was too long, its parts stand in its place. */
  finished?: Promise<void>;
};

/** The reads of a run that are not handed out, in their order, and what was learnt of the service. */
export type Line = {
  readonly turns: Turn[];
  readonly concurrency: number;
  readonly land: (task: ReadTask) => Promise<Landing>;
  isStopped: boolean;
  /** Whether the service was seen to look at the window it is asked for; neither is known at first. */
  honoursRange: boolean;
  ignoresRange: boolean;
  /** How many parts were cut further while it was not known. */
  unprovenSplits: number;
};

/** A turn that has not begun. */
export function turnOf(job: ReadJob): Turn {
  return { job, isUnderWay: false };
}

/** The first read of a window; one of a second or less is never cut. */
export function jobOf({ startMs, endMs }: Window, origin: Origin): ReadJob {
  const isOneSecond = endMs - startMs <= 1000;
  const mayBeCut = !origin.isWhole && !isOneSecond;
  const { planned } = origin;
  const isPlanned = planned.startMs === startMs && planned.endMs === endMs;
  const confirming = isPlanned ? planned.confirming : undefined;
  return { window: { startMs, endMs }, round: 1, mayBeCut, origin, confirming };
}

/** Puts others in the place of a turn. */
export function replace({ turns }: Line, turn: Turn, others: readonly Turn[]): void {
  const [, ...after] = turns.splice(turns.indexOf(turn));
  for (const one of others) turns.push(one);
  for (const one of after) turns.push(one);
}
