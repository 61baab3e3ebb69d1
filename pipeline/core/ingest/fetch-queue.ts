import type { Manifest } from "../landing/manifests.ts";
import { replaceByParts, learn, partToCompare } from "./split.ts";
import { jobOf, replace, entryOf, type Queue, type FetchJob, type Entry } from "./queue.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import { givenUp, type Beginning, type Landing, type FetchTask, type Unserved } from "./task.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Confirmable } from "../store/ledger/confirming.ts";

/** A fetch that is on disk. */
export type LandedFetch = { readonly job: FetchJob; readonly manifest: Manifest };

/** A fetch that is on disk, or why it is not. */
export type Fetched = LandedFetch | { readonly job: FetchJob; readonly error: unknown };

/** The fetches of a run, several under way at once, handed out in their order. */
export type FetchQueue = {
  /** The next fetch; undefined when all are done, or after `stop` when no more are on disk. */
  readonly next: () => Promise<Fetched | undefined>;
  /** Fetches that are on disk and not handed out, in their order. */
  readonly landed: () => Manifest[];
  /** The next fetch, if it is one of these and on disk already. */
  readonly nextOf: (readIds: ReadonlySet<string>) => LandedFetch | undefined;
  /** Has a window fetched once more. */
  readonly again: (job: FetchJob, confirming: Confirmable | undefined) => void;
  /** Begins no further fetch; those that are on disk by then are still handed out, failures no longer. */
  readonly stop: () => void;
  /** Windows that were not handed out. */
  readonly left: () => Interval[];
  /** True once the service was seen to answer the same whatever window it was asked for. */
  readonly ignoresWindows: () => boolean;
};

// Fetches wait on disk for the load, so that a slow window in front does not hold up the others.
const aheadPerSlot = 4;

/**
 * Does the planned fetches with `land`, some at once, the first ones first. One that is too long, or has a page that the
 * service does not serve, is split in time, and its parts are fetched in its place. `canSplit` is false where the
 * service takes no window.
 */
export function newFetchQueue(
  planned: readonly PlannedFetch[],
  concurrency: number,
  canSplit: boolean,
  land: (task: FetchTask) => Promise<Landing>,
): FetchQueue {
  const entries = planned.map((one) => entryOf(jobOf(one, { planned: one, isWhole: !canSplit })));
  const flags = { isStopped: false, honoursRange: false, ignoresRange: false };
  const queue: Queue = {
    entries,
    concurrency,
    land,
    ...flags,
    unprovenSplits: 0,
    emptyHanded: 0,
    hasLanded: false,
  };
  return {
    next: () => next(queue),
    landed: () => entries.flatMap(({ manifest }) => manifest ?? []),
    nextOf: (readIds) => nextOf(queue, readIds),
    again: ({ window, origin, round }, confirming) =>
      void entries.unshift(entryOf({ ...jobOf(window, origin), round: round + 1, confirming })),
    stop: () => {
      queue.isStopped = true;
    },
    left: () => entries.map(({ job }) => job.window),
    ignoresWindows: () => queue.ignoresRange,
  };
}

async function next(queue: Queue): Promise<Fetched | undefined> {
  for (;;) {
    beginMore(queue);
    const front = queue.entries.find((entry) => entry.landing !== undefined);
    if (front === undefined) return undefined;
    await front.finished;
    if (!queue.entries.includes(front)) continue;
    const outcome = await front.landing!.catch((error: unknown) => ({ error }));
    const isDropped = queue.isStopped && "error" in outcome;
    replace(queue, front, isDropped ? [entryOf(front.job)] : []);
    const isDone = "manifest" in outcome || "error" in outcome;
    if (!isDropped && isDone) return { job: front.job, ...outcome };
  }
}

function nextOf(queue: Queue, readIds: ReadonlySet<string>): LandedFetch | undefined {
  const front = queue.entries.find((entry) => entry.landing !== undefined);
  if (front?.manifest === undefined || !readIds.has(front.manifest.read_id)) return undefined;
  replace(queue, front, []);
  return { job: front.job, manifest: front.manifest };
}

function beginMore(queue: Queue): void {
  const { entries, concurrency } = queue;
  let free = concurrency - entries.filter((entry) => entry.isUnderWay).length;
  for (const entry of entries.slice(0, concurrency * aheadPerSlot)) {
    if (queue.isStopped || free <= 0) return;
    if (entry.landing !== undefined) continue;
    void begin(queue, entry);
    free -= 1;
  }
}

function begin(queue: Queue, entry: Entry): Promise<Landing> {
  if (entry.landing !== undefined) return entry.landing;
  const task = queue.ignoresRange ? { ...entry.job, maySplit: false } : entry.job;
  entry.isUnderWay = true;
  entry.landing = queue.land(task).finally(() => {
    entry.isUnderWay = false;
  });
  entry.finished = finish(queue, entry, entry.landing);
  return entry.landing;
}

async function finish(queue: Queue, entry: Entry, landing: Promise<Landing>): Promise<void> {
  const outcome = await landing.catch(() => undefined);
  if (outcome !== undefined && "manifest" in outcome) {
    entry.manifest = outcome.manifest;
    queue.hasLanded = true;
    queue.emptyHanded = 0;
  }
  const beginning = outcome && givenUp(outcome);
  if (beginning !== undefined) await split(queue, entry, beginning);
  // What may not be split lands whole in any case, which shows nothing.
  else if (outcome !== undefined && entry.job.split !== undefined && entry.job.maySplit)
    queue.honoursRange = true;
  beginMore(queue);
}

async function split(queue: Queue, entry: Entry, beginning: Beginning | Unserved): Promise<void> {
  if ("fault" in beginning && !beginning.isBegun) {
    queue.emptyHanded += 1;
    await compareWindows(queue, entry);
  }
  const other = partToCompare(queue, entry);
  const landing = other && (await begin(queue, other).catch(() => undefined));
  if (other !== undefined && landing !== undefined) learn(queue, other, beginning, landing);
  replaceByParts(queue, entry, beginning);
}

// How many other windows are asked whether it is the service, or the settings, that fail.
const mostCompared = 3;

// Another window that lands shows that only something within this one fails.
async function compareWindows(queue: Queue, entry: Entry): Promise<void> {
  const others = queue.entries.filter(({ job }) => job.origin !== entry.job.origin);
  for (const other of others.slice(0, mostCompared)) {
    if (queue.hasLanded || queue.isStopped) return;
    await begin(queue, other).catch(() => undefined);
  }
}
