import type { SourceConfig } from "../../../schemas/config.ts";
import type { SimEvent } from "./events.ts";
import type { Misbehavior } from "./misbehavior.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"] as const;
export const shapes = ["envelope", "array", "ndjson", "csv"] as const;

export type Style = (typeof styles)[number];
export type Shape = (typeof shapes)[number];
export type Order = "oldest_first" | "newest_first" | "shuffled";

/**
 * What a service does with the requested range: uses it, ignores it, or rounds it. It rounds outward, returning more
 * than requested, or both ends down.
 */
export type Range =
  | { readonly how: "honoured" | "ignored" | "absent" }
  | { readonly how: "outward" | "floored"; readonly unitMs: number };

/** How a service pages and answers. */
export type Manners = {
  readonly style: Style;
  readonly shape: Shape;
  readonly order: Order;
  readonly range: Range;
  readonly isEndIncluded: boolean;
  /** The most records on a page. */
  readonly pageCap: number;
  /** Whether a smaller page can be asked for. */
  readonly obeysSize: boolean;
  /** The path of the list in an envelope: one or two names. */
  readonly listAt: readonly string[];
  /** Dotted path of the total in an envelope and what it counts; undefined where there is none. */
  readonly total: { readonly at: string; readonly of: "selection" | "log" } | undefined;
  /** What an envelope says on its last page of the next one, and whether page and offset style say anything. */
  readonly end: "null" | "absent";
  readonly saysNext: boolean;
  /** Whether the last page that holds records still names another, which is empty. */
  readonly hasEmptyLast: boolean;
  /** Further fields of each envelope that mean nothing. */
  readonly beside: Readonly<Record<string, unknown>>;
};

/** A small service and the moments that it is read at; all of it follows from the seed. */
export type Plan = {
  readonly seed: number;
  /** Name of its source. */
  readonly name: string;
  readonly manners: Manners;
  /** Its misbehavior, if any. */
  readonly misbehavior: Misbehavior | undefined;
  readonly source: SourceConfig;
  /** The clock at each run, the same on both sides, milliseconds. */
  readonly runTimes: readonly number[];
  readonly events: readonly SimEvent[];
};
