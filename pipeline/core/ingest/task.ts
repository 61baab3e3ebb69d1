import type { AuditlakeError } from "../../base/errors.ts";
import type { Manifest } from "../landing/manifests.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import type { Client } from "../source/client.ts";
import type { Ending } from "../source/ending.ts";
import type { ClockCheck } from "../source/clock.ts";
import type { Traits } from "../store/ledger/traits.ts";
import type { HeldPages } from "../load/loader.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { Confirmable } from "../store/ledger/confirming.ts";

/** One source in a run of the program: what is read, by whom, and where it goes. */
export type SourceRun = {
  readonly settings: Settings;
  readonly source: NamedSource;
  /** The range that was asked for; undefined for the scheduled one. */
  readonly backfill: Interval | undefined;
  readonly writer: Writer;
  readonly client: Client;
  readonly world: World;
};

/** What all fetches of one run have in common. */
export type FetchPlan = {
  readonly runId: string;
  readonly source: NamedSource;
  readonly landing: string;
  readonly isScheduledRun: boolean;
  /** Start of the run's first window, milliseconds. */
  readonly rangeStartMs: number;
  readonly checkClock: ClockCheck;
  /** Windows that begin before this leave the scheduled range: they are confirmed in the same run. */
  readonly leavesBeforeMs: number;
  /** Pages that are landed, until their fetch is loaded. */
  readonly held: HeldPages;
  /** What the source has shown so far; brought up to date as fetches are loaded. */
  traits: Traits;
};

/** One fetch to do. */
export type FetchTask = {
  readonly window: Interval;
  /** 1, or more where the window is read again in the same run. */
  readonly round: number;
  /** Whether it may be given up as too long, to be split in time. */
  readonly maySplit: boolean;
  /** For a fetch that may make its window final: so that an answer that was cut off shows itself, it does more. */
  readonly confirming?: Confirmable | undefined;
};

/**
 * What came of a fetch: it is on disk with its manifest, there was more than one may hold, or the service does not serve
 * one of its pages.
 */
export type Landing =
  | { readonly manifest: Manifest }
  | { readonly tooLong: Beginning }
  | { readonly unserved: Unserved };

/** How a fetch began that was given up because of a page that fails however often it is requested. */
export type Unserved = Beginning & {
  readonly fault: AuditlakeError;
  /** Whether any page came before it. */
  readonly isBegun: boolean;
};

/** How a fetch began that was given up. */
export type Beginning = {
  /** Digest of the first page's records; undefined where that page alone was too long. */
  readonly firstPage: string | undefined;
  /** Whether all records of that page lie in the window asked for. */
  readonly isInside: boolean;
};

/** How a fetch began that was given up; undefined for one that is on disk. */
export function givenUp(landing: Landing): Beginning | Unserved | undefined {
  if ("manifest" in landing) return undefined;
  return "tooLong" in landing ? landing.tooLong : landing.unserved;
}

/** One range, asked for from its first page to its last. */
export type LandedRange = {
  readonly range: Interval;
  readonly ending: Ending;
  /** Whether all records that show a time lie in the range, edges included. */
  readonly isInside: boolean;
};
