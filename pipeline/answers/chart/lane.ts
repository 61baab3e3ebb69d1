import type { Paint, Unit } from "./chart.ts";

// The data of a timeline picture. Moments are milliseconds since the epoch as clocks of the shown zone have them.

/** A mark in a lane: an event, or the events of one step. */
export type LaneMark = {
  readonly at: number;
  readonly paint: Paint;
  /** The lines of its tooltip: time, what, how much. */
  readonly lines: readonly string[];
  /** The events or the finding behind it. */
  readonly href?: string;
};

/** Events as dots, the area of a dot being its amount. */
export type DotLane = {
  readonly kind: "dots";
  readonly unit: "count" | "bytes";
  readonly dots: readonly (LaneMark & {
    readonly amount: number;
    /** Whether what it shows was seen for the first time: it has a ring. */
    readonly isFirst?: boolean;
  })[];
};

export type BarLane = {
  readonly kind: "bars";
  readonly stepMs: number;
  readonly bars: readonly (LaneMark & { readonly amount: number })[];
};

/** Findings or single changes: a square each, a disc for low severity, with a label. */
export type MarkLane = {
  readonly kind: "marks";
  readonly marks: readonly (LaneMark & {
    /** `F-117 manage granted on a Saturday`; a phone shows the first word. */
    readonly label?: string;
    readonly shape?: "square" | "disc";
  })[];
};

/** What was added upwards and taken away downwards in each step; `marks` are squares above, such as full control. */
export type ChangeLane = {
  readonly kind: "changes";
  readonly stepMs: number;
  readonly changes: readonly {
    readonly at: number;
    readonly up: number;
    readonly down: number;
    readonly lines: readonly string[];
    readonly href?: string;
  }[];
  readonly marks?: readonly LaneMark[];
};

/** Amounts added up over the range. */
export type SumLane = {
  readonly kind: "sum";
  readonly unit: Unit;
  readonly steps: readonly { readonly at: number; readonly amount: number }[];
};

/** A lane: its name, a line below it, and its marks. A lane without marks stays as a thin line. */
export type Lane = {
  readonly name: string;
  /** `51 · dot area is count`; of an empty lane `none in 30 days`. */
  readonly note: string;
} & (DotLane | BarLane | MarkLane | ChangeLane | SumLane);

/** A timeline: its range and its lanes, own findings first. */
export type Lanes = {
  readonly startMs: number;
  readonly endMs: number;
  /** Beside the axis: the zone. */
  readonly note: string;
  /** What marks mean: `ring: new address`. */
  readonly legend?: string;
  readonly lanes: readonly Lane[];
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long a step is whose events share a dot: none up to two days, 6 hours, from 60 days on a day. */
export function chooseStep(startMs: number, endMs: number): number | undefined {
  const days = (endMs - startMs) / dayMs;
  if (days <= 2) return undefined;
  return days < 60 ? 6 * hourMs : dayMs;
}
