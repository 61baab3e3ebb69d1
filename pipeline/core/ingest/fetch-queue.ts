import type { Interval } from "../../base/time/periods.ts";
import type { Manifest } from "../landing/manifests.ts";
import type { Confirmable } from "../store/ledger/coverage.ts";
import {
  type Fetch,
  type GivenUp,
  type LandResult,
  newFetch,
  type Queue,
  type QueuedFetch,
  replaceFetch,
  restartFetch,
} from "./fetch.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import { learnFromSplit, findPartToCompare, replaceByParts } from "./split.ts";

/** A fetch that is on disk. */
export type LandedFetch = { readonly fetch: QueuedFetch; readonly manifest: Manifest };

/** A fetch that is on disk, or why it is not. */
export type FetchResult = LandedFetch | { readonly fetch: QueuedFetch; readonly error: unknown };

/** The fetches of a run, several under way at once, handed out in their order. */
export type FetchQueue = {
  /** The next fetch; undefined when all are done, or after `stop` when no more are on disk. */
  readonly next: () => Promise<FetchResult | undefined>;
  /** Fetches that are on disk and not handed out, in their order. */
  readonly landed: () => Manifest[];
  /** The next fetch, if it is one of these and on disk already. */
  readonly findLanded: (readIds: ReadonlySet<string>) => LandedFetch | undefined;
  /** Requests a second fetch of a window. */
  readonly again: (fetch: QueuedFetch, confirming: Confirmable | undefined) => void;
  /** Starts no further fetch. Fetches already on disk are still handed out; failures are not. */
  readonly stop: () => void;
  /** Windows that were not handed out. */
  readonly left: () => Interval[];
  /** True once the service has given the same answer for different windows. */
  readonly ignoresWindows: () => boolean;
};

// Fetches wait on disk for the load, so that a slow window in front does not hold up the others.
const aheadPerSlot = 4;

/**
 * Runs the planned fetches with `land`, several at once and in order. A fetch that is too long, or has a page that the
 * service does not serve, is split in time and replaced by its parts. `canSplit` is false if the service takes no
 * window.
 */
export function newFetchQueue(
  planned: readonly PlannedFetch[],
  concurrency: number,
  canSplit: boolean,
  land: (fetch: Fetch) => Promise<LandResult>,
): FetchQueue {
  const entries = planned.map((one) => newFetch(one, { planned: one, isWhole: !canSplit }));
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
    next: () => takeNext(queue),
    landed: () => entries.flatMap(({ manifest }) => manifest ?? []),
    findLanded: (readIds) => findLanded(queue, readIds),
    again: ({ window, origin, round }, confirming) =>
      void entries.unshift({ ...newFetch(window, origin), round: round + 1, confirming }),
    stop: () => {
      queue.isStopped = true;
    },
    left: () => entries.map(({ window }) => window),
    ignoresWindows: () => queue.ignoresRange,
  };
}

async function takeNext(queue: Queue): Promise<FetchResult | undefined> {
  for (;;) {
    beginMore(queue);
    const front = queue.entries.find((fetch) => fetch.landing !== undefined);
    if (front === undefined) return undefined;
    await front.finished;
    if (!queue.entries.includes(front)) continue;
    const outcome = await front.landing!.catch((error: unknown) => ({ error }));
    const isDropped = queue.isStopped && "error" in outcome;
    replaceFetch(queue, front, isDropped ? [restartFetch(front)] : []);
    if (!isDropped && !("givenUp" in outcome)) return { fetch: front, ...outcome };
  }
}

function findLanded(queue: Queue, readIds: ReadonlySet<string>): LandedFetch | undefined {
  const front = queue.entries.find((fetch) => fetch.landing !== undefined);
  if (front?.manifest === undefined || !readIds.has(front.manifest.read_id)) return undefined;
  replaceFetch(queue, front, []);
  return { fetch: front, manifest: front.manifest };
}

function beginMore(queue: Queue): void {
  const { entries, concurrency } = queue;
  let free = concurrency - entries.filter((fetch) => fetch.isUnderWay).length;
  for (const fetch of entries.slice(0, concurrency * aheadPerSlot)) {
    if (queue.isStopped || free <= 0) return;
    if (fetch.landing !== undefined) continue;
    void beginFetch(queue, fetch);
    free -= 1;
  }
}

function beginFetch(queue: Queue, fetch: QueuedFetch): Promise<LandResult> {
  if (fetch.landing !== undefined) return fetch.landing;
  fetch.isUnderWay = true;
  const landing = queue.land(queue.ignoresRange ? { ...fetch, maySplit: false } : fetch);
  fetch.landing = landing.finally(() => {
    fetch.isUnderWay = false;
  });
  fetch.finished = finishFetch(queue, fetch, fetch.landing);
  return fetch.landing;
}

async function finishFetch(
  queue: Queue,
  fetch: QueuedFetch,
  landing: Promise<LandResult>,
): Promise<void> {
  const landed = await landing.catch(() => undefined);
  if (landed !== undefined && "manifest" in landed) {
    fetch.manifest = landed.manifest;
    queue.hasLanded = true;
    queue.emptyHanded = 0;
    // What may not be split lands whole in any case, which shows nothing.
    if (fetch.split !== undefined && fetch.maySplit) queue.honoursRange = true;
  }
  if (landed !== undefined && "givenUp" in landed) await splitFetch(queue, fetch, landed.givenUp);
  beginMore(queue);
}

async function splitFetch(queue: Queue, fetch: QueuedFetch, beginning: GivenUp): Promise<void> {
  if (beginning.fault !== undefined && beginning.hasStarted !== true) {
    queue.emptyHanded += 1;
    await compareWindows(queue, fetch);
  }
  const other = findPartToCompare(queue, fetch);
  const landed = other && (await beginFetch(queue, other).catch(() => undefined));
  if (other !== undefined && landed !== undefined) learnFromSplit(queue, other, beginning, landed);
  replaceByParts(queue, fetch, beginning);
}

// Number of other windows to request, to see whether the service or the settings fail.
const mostCompared = 3;

// Another window that lands shows that only something within this one fails.
async function compareWindows(queue: Queue, { origin }: QueuedFetch): Promise<void> {
  const others = queue.entries.filter((fetch) => fetch.origin !== origin);
  for (const other of others.slice(0, mostCompared)) {
    if (queue.hasLanded || queue.isStopped) return;
    await beginFetch(queue, other).catch(() => undefined);
  }
}
