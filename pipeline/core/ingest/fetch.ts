import type { AuditlakeError } from "../../base/errors.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Manifest } from "../landing/manifests.ts";
import type { Confirmable } from "../store/ledger/coverage.ts";
import type { PlannedFetch } from "./plan-fetches.ts";

export type Fetch = {
  readonly window: Interval;
  /** 1, or more where the window is read again in the same run. */
  readonly round: number;
  /** Whether it may be given up as too long, to be split in time. */
  readonly maySplit: boolean;
  /** For a fetch that may make its window final: so that an answer that was cut off shows itself, it does more. */
  readonly confirming?: Confirmable | undefined;
};

/** Outcome of a fetch: on disk with its manifest, or given up without a trace. */
export type LandResult = { readonly manifest: Manifest } | { readonly givenUp: GivenUp };

/** How a fetch began that was given up, as too long or because of a page that fails however often it is requested. */
export type GivenUp = {
  /** Digest of the first page's records; undefined where that page alone was too long. */
  readonly firstPage: string | undefined;
  /** Whether all records of that page are inside the requested window. */
  readonly isInside: boolean;
  /** Why a page is not served; undefined for a fetch that was too long. */
  readonly fault?: AuditlakeError;
  /** Whether any page came before that. */
  readonly hasStarted?: boolean;
};

/** A fetch in the queue of a run, the planned window that it belongs to, and how far it is. */
export type QueuedFetch = Fetch & {
  /** `isWhole` where the window is read, or given up, as one. */
  readonly origin: { readonly planned: PlannedFetch; isWhole: boolean };
  /** The parts of a window that was given up as a whole, and how it began. */
  readonly split?: { readonly whole: GivenUp; readonly parts: readonly QueuedFetch[] };
  /** True for the second that remains where a range was split because of a page that the service does not serve. */
  readonly isUnserved?: boolean;
  isUnderWay: boolean;
  landing?: Promise<LandResult> | undefined;
  /** What landed, once it has. */
  manifest?: Manifest | undefined;
  /** Resolves when the fetch is done and, if it was given up, its parts take its place. */
  finished?: Promise<void> | undefined;
};

/** The fetches of a run that are not handed out, in their order, and what was learnt of the service. */
export type Queue = {
  readonly entries: QueuedFetch[];
  readonly concurrency: number;
  readonly land: (fetch: Fetch) => Promise<LandResult>;
  isStopped: boolean;
  /** Whether the service is known to honour the requested window; unknown at first. */
  honoursRange: boolean;
  ignoresRange: boolean;
  /** How many parts were split further while it was not known. */
  unprovenSplits: number;
  /** Whether any fetch has landed, so that the service is up and takes the settings. */
  hasLanded: boolean;
  /** How many fetches in a row had not even their first page, since one landed. */
  emptyHanded: number;
};

/** The first fetch of a window; one of a second or less is never split. */
export function newFetch({ startMs, endMs }: Interval, origin: QueuedFetch["origin"]): QueuedFetch {
  const isOneSecond = endMs - startMs <= 1000;
  const maySplit = !origin.isWhole && !isOneSecond;
  const { planned } = origin;
  const isPlanned = planned.startMs === startMs && planned.endMs === endMs;
  const confirming = isPlanned ? planned.confirming : undefined;
  const window = { startMs, endMs };
  return { window, round: 1, maySplit, origin, confirming, isUnderWay: false };
}

/** The same fetch, to be done from the beginning. */
export function restartFetch(fetch: QueuedFetch): QueuedFetch {
  const nothing = { landing: undefined, manifest: undefined, finished: undefined };
  return { ...fetch, ...nothing, isUnderWay: false };
}

/** Puts others in the place of a fetch. */
export function replaceFetch(
  { entries }: Queue,
  fetch: QueuedFetch,
  others: readonly QueuedFetch[],
): void {
  const [, ...after] = entries.splice(entries.indexOf(fetch));
  for (const one of others) entries.push(one);
  for (const one of after) entries.push(one);
}
