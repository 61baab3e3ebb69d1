// The data of charts: plain values, independent of drawing.

/**
 * Colours by meaning, which are classes of `base/html/style/charts.css`: categories `c1` to `c6`, outcomes, severities,
 * and `sl` for the background.
 */
export type Paint =
  | "c1"
  | "c2"
  | "c3"
  | "c4"
  | "c5"
  | "c6"
  | "ok"
  | "fail"
  | "deny"
  | "crf"
  | "hgf"
  | "medf"
  | "lowf"
  | "sl";

/** The unit of amounts: it decides how they are written, and what the ticks of an axis are. */
export type Unit = "count" | "bytes" | "seconds";

/** A place on the x axis, such as a day. */
export type Slot = {
  /** How tooltips name it: `Mon 23 Nov`. */
  readonly name: string;
  /** Below the axis, in few slots. */
  readonly label?: string;
  /** Whether the label is left out on a narrow screen. */
  readonly isMinor?: boolean;
  readonly isWeekend?: boolean;
  /** Whether only a part of it is known: hatched, and compared with nothing. */
  readonly isPart?: boolean;
  /** The events behind it. */
  readonly href?: string;
  /** Lines of the tooltip after the name; without them one for each series. */
  readonly tip?: readonly string[];
};

/** One amount per slot; null if missing. */
export type Series = {
  readonly name: string;
  /** What its rows have in the column of the stack; undefined for the rest, and without a stack. */
  readonly value?: string;
  readonly paint: Paint;
  readonly values: readonly (number | null)[];
  /** Slots whose mark is critical: those of a finding. */
  readonly marked?: readonly number[];
};

/** A direct label at a slot: at most two per chart, on a finding or the maximum. */
export type Note = {
  readonly slot: number;
  /** Value, day, cause. */
  readonly text: string;
  /** The same for a phone. */
  readonly short?: string;
};

/** The place of a chart inside a picture, in pixels; without one it fills its column of a page. */
export type Frame = { readonly x: number; readonly y: number; readonly width: number };

/** A chart over an axis of slots. */
export type AxisChart = {
  /** Label of the chart for screen readers: `Denials per day, by kind`. */
  readonly label: string;
  readonly slots: readonly Slot[];
  /** Of a stack, from the bottom to the top: the largest first. */
  readonly series: readonly Series[];
  /** Usual amount of a slot; null if unknown. */
  readonly usual?: readonly (number | null)[];
  readonly notes?: readonly Note[];
  readonly unit?: Unit;
  /** In pixels, with the labels of the axis. */
  readonly height?: number;
  readonly brush?: Brush;
  readonly frame?: Frame;
};

/** A selection of time by a drag over the bars, which fills two fields of a form. */
export type Brush = {
  /** The id of the form. */
  readonly form: string;
  /** The names of the fields for start and end; by default `since` and `until`. */
  readonly fields?: readonly [string, string];
  /** The starts of all slots and the end of the last, as the fields take them. */
  readonly edges: readonly string[];
  /** The selected part, in slots from the left; a selection may end within a slot. */
  readonly selected?: readonly [number, number];
};

/** Bars stacked by series. */
export type Bars = AxisChart;
export type Dots = AxisChart & { readonly scale?: "log" };
export type Line = AxisChart & { readonly scale?: "log" };

/** Rows and columns of cells, each as dark as its amount. */
export type Heat = {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** By row, then column; null if missing. */
  readonly cells: readonly (readonly (number | null)[])[];
  /** Every how many columns have a label below; default 1. */
  readonly every?: number;
  readonly unit?: Unit;
  /** The events behind a cell. */
  readonly getHref?: (row: number, column: number) => string | undefined;
  readonly frame?: Frame;
};

/** One column per day, without axes. */
export type Sparkline = {
  readonly label: string;
  readonly values: readonly number[];
  /** The last compared day: dark, with the same weekdays before in half tone; default the last but one. */
  readonly compared?: number;
  /** How many days are compared, up to that one; default one. */
  readonly length?: number;
  /** Days of an open finding. */
  readonly marked?: readonly number[];
  /** For bytes, where only the place of the peak matters. */
  readonly scale?: "log";
  readonly height?: number;
  /** One colour for all days, where none are compared. */
  readonly paint?: Paint;
};

/** A horizontal bar: a part of the most that there is. */
export type Share = {
  readonly value: number;
  readonly most: number;
  readonly paint?: Paint;
  readonly height?: number;
};

/** Names with horizontal bars, each stacked by series. */
export type Ranking = {
  readonly label: string;
  readonly names: readonly { readonly name: string; readonly href?: string }[];
  readonly series: readonly Series[];
  readonly scale?: "log";
  readonly unit?: Unit;
  readonly frame?: Frame;
};
