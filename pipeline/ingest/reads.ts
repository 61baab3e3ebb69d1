import type { Manifest } from "../landing/manifests.ts";
import type { Window } from "../source/audits.ts";
import { cutUp, learn, partToCompare } from "./split.ts";
import { jobOf, replace, turnOf, type Line, type ReadJob, type Turn } from "./queue.ts";
import type { PlannedRead } from "./plan.ts";
import type { Beginning, Confirming, Landing, ReadTask } from "./task.ts";

/** A read that is on disk. */
export type LandedRead = { readonly job: ReadJob; readonly manifest: Manifest };

/** A read that is on disk, or why it is not. */
export type Read = LandedRead | { readonly job: ReadJob; readonly error: unknown };

/** The reads of a run, several under way at once, handed out in their order. */
export type Reads = {
  /** The next read; undefined when all are done, or after `stop` when no more are on disk. */
  readonly next: () => Promise<Read | undefined>;
  /** Reads that are on disk and not handed out, in their order. */
  readonly landed: () => Manifest[];
  /** The next read, if it is one of these and on disk already. */
  readonly nextOf: (readIds: ReadonlySet<string>) => LandedRead | undefined;
  /** Has a window read once more. */
  readonly again: (job: ReadJob, confirming: Confirming | undefined) => void;
  /** Begins no further read; those that are on disk by then are still handed out, failures no longer. */
  readonly stop: () => void;
  /** Windows that were not handed out. */
  readonly left: () => Window[];
  /** True once the service was seen to answer the same whatever window it was asked for. */
  readonly ignoresWindows: () => boolean;
};

// Reads wait on disk for the load, so that a slow window in front does not hold up the others.
const aheadPerSlot = 4;

/**
 * Does the planned reads with `land`, some at once, the first ones first. One that is too long is cut in time,
 * and its parts are read in its place; `canBeCut` is false where the service takes no window.
 */
export function newReads(
  planned: readonly PlannedRead[],
  concurrency: number,
  canBeCut: boolean,
  land: (task: ReadTask) => Promise<Landing>,
): Reads {
  const turns = planned.map((one) => turnOf(jobOf(one, { planned: one, isWhole: !canBeCut })));
  const flags = { isStopped: false, honoursRange: false, ignoresRange: false, unprovenSplits: 0 };
  const line: Line = { turns, concurrency, land, ...flags };
  return {
    next: () => next(line),
    landed: () => turns.flatMap(({ manifest }) => manifest ?? []),
    nextOf: (readIds) => nextOf(line, readIds),
    again: ({ window, origin, round }, confirming) =>
      void turns.unshift(turnOf({ ...jobOf(window, origin), round: round + 1, confirming })),
    stop: () => {
      line.isStopped = true;
    },
    left: () => turns.map(({ job }) => job.window),
    ignoresWindows: () => line.ignoresRange,
  };
}

async function next(line: Line): Promise<Read | undefined> {
  for (;;) {
    beginMore(line);
    const head = line.turns.find((turn) => turn.landing !== undefined);
    if (head === undefined) return undefined;
    await head.finished;
    if (!line.turns.includes(head)) continue;
    const outcome = await head.landing!.catch((error: unknown) => ({ error }));
    const isDropped = line.isStopped && "error" in outcome;
    replace(line, head, isDropped ? [turnOf(head.job)] : []);
    if (!isDropped && !("tooLong" in outcome)) return { job: head.job, ...outcome };
  }
}

function nextOf(line: Line, readIds: ReadonlySet<string>): LandedRead | undefined {
  const head = line.turns.find((turn) => turn.landing !== undefined);
  if (head?.manifest === undefined || !readIds.has(head.manifest.read_id)) return undefined;
  replace(line, head, []);
  return { job: head.job, manifest: head.manifest };
}

function beginMore(line: Line): void {
  const { turns, concurrency } = line;
  let free = concurrency - turns.filter((turn) => turn.isUnderWay).length;
  for (const turn of turns.slice(0, concurrency * aheadPerSlot)) {
    if (line.isStopped || free <= 0) return;
    if (turn.landing !== undefined) continue;
    void begin(line, turn);
    free -= 1;
  }
}

function begin(line: Line, turn: Turn): Promise<Landing> {
  if (turn.landing !== undefined) return turn.landing;
  const task = line.ignoresRange ? { ...turn.job, mayBeCut: false } : turn.job;
  turn.isUnderWay = true;
  turn.landing = line.land(task).finally(() => {
    turn.isUnderWay = false;
  });
  turn.finished = finish(line, turn, turn.landing);
  return turn.landing;
}

async function finish(line: Line, turn: Turn, landing: Promise<Landing>): Promise<void> {
  const outcome = await landing.catch(() => undefined);
  if (outcome !== undefined && "manifest" in outcome) turn.manifest = outcome.manifest;
  if (outcome !== undefined && "tooLong" in outcome) await split(line, turn, outcome.tooLong);
  // What may not be cut lands whole in any case, and says nothing.
  else if (outcome !== undefined && turn.job.cut !== undefined && turn.job.mayBeCut)
    line.honoursRange = true;
  beginMore(line);
}

async function split(line: Line, turn: Turn, beginning: Beginning): Promise<void> {
  const other = partToCompare(line, turn);
  const landing = other && (await begin(line, other).catch(() => undefined));
  if (other !== undefined && landing !== undefined) learn(line, other, beginning, landing);
  cutUp(line, turn, beginning);
}
