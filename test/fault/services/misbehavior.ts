import type { SimEvent } from "./events.ts";

/** One reading of a range from its first page on, as the service knows it. */
export type Walk = {
  /** Number of the run, from 0. */
  readonly runIndex: number;
  /** Number of the window of the grid that the range begins in; 0 where requests name no range. */
  readonly window: number;
  /** How many walks before this one asked for the same end, and how many for the same beginning. */
  readonly sameEnd: number;
  readonly sameStart: number;
};

/** A page as a service is about to write it. */
export type Answer = {
  readonly page: readonly SimEvent[];
  /** How many records of the selection come before it, and how many were taken for it. */
  readonly offset: number;
  readonly size: number;
  /** Records that the walk will show in all, and that the service holds for it. */
  readonly shown: number;
  readonly held: number;
  readonly walk: Walk;
};

/**
 * The misbehavior of one service: what it does to its answers, each with status 200. Everything else is well-behaved.
 */
export type Misbehavior = {
  readonly name: string;
  /** The list that a walk goes through, of the records that it should go through. */
  readonly list?: (held: readonly SimEvent[], walk: Walk) => readonly SimEvent[];
  /** The page at an offset of that list. */
  readonly slice?: (
    list: readonly SimEvent[],
    offset: number,
    size: number,
    walk: Walk,
  ) => readonly SimEvent[];
  /** Never names a next page. */
  readonly isDumb?: boolean;
  /** Names it under this path of the envelope, whatever the configuration says. */
  readonly nextAt?: string;
  /** The total counts what is held, not what is shown. */
  readonly hasTrueTotal?: boolean;
  /** Further values of an envelope, by dotted path. */
  readonly beside?: (answer: Answer) => Readonly<Record<string, unknown>>;
  /** The whole body; undefined for the usual one. */
  readonly body?: (answer: Answer) => unknown;
};
