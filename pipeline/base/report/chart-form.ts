/** The kinds of charts that reports may declare. */
export const chartKinds = ["bars", "dots", "line", "heat"] as const;
export type ChartKind = (typeof chartKinds)[number];

/** What a report declares of its chart: `-- chart: KIND x=COLUMN y=COLUMN`, and what may follow. */
export type ChartForm = {
  readonly kind: ChartKind;
  readonly x: string;
  /** The column of amounts; `rows` counts the rows. */
  readonly y: string;
  /** What the table keeps apart: the parts of a bar, lines of their own, or the rows of a heat map. */
  readonly stack?: string;
  /** Shows the median of the same weekday of the weeks before. */
  readonly usual?: "weekday";
  readonly scale?: "log";
  readonly unit?: "count" | "bytes" | "seconds";
  /** Where a mark leads: to its events, or to a report. */
  readonly link?: string;
};

const column = /^[a-z_][a-z0-9_]*$/i;
const values: Readonly<Record<string, readonly [RegExp, string]>> = {
  x: [column, "a column"],
  y: [column, "a column, or rows"],
  stack: [column, "a column"],
  usual: [/^weekday$/, "weekday"],
  scale: [/^log$/, "log"],
  unit: [/^(?:count|bytes|seconds)$/, "count, bytes or seconds"],
  link: [/^(?:events|report:[a-z0-9_.-]+)$/i, "events or report:NAME"],
};

/** Parses the chart of a header; returns a text for a fault. */
export function parseChart(text: string): ChartForm | string {
  const [kindText = "", ...pairs] = text.split(/\s+/);
  const kind = chartKinds.find((each) => each === kindText);
  if (kind === undefined)
    return `unknown chart "${kindText}"; expected ${chartKinds.join(", ")}, as in "-- chart: bars x=day y=events"`;
  const given = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const [key, value] = [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)];
    const expected = Object.hasOwn(values, key) ? values[key] : undefined;
    if (expected === undefined)
      return `the chart has "${pair}"; expected ${Object.keys(values).join("=, ")}=`;
    if (given.has(key)) return `the chart has ${key}= twice`;
    if (!expected[0].test(value)) return `the chart has ${key}=${value}; expected ${expected[1]}`;
    given.set(key, value);
  }
  return findFault(kind, given) ?? ({ kind, ...Object.fromEntries(given) } as ChartForm);
}

function findFault(kind: ChartKind, given: ReadonlyMap<string, string>): string | undefined {
  if (!given.has("x") || !given.has("y")) return "the chart needs x=COLUMN and y=COLUMN";
  if (kind === "heat" && !given.has("stack")) return "a heat map needs stack=COLUMN for its rows";
  // A bar begins at zero, which no logarithmic scale has.
  if (kind !== "dots" && kind !== "line" && given.has("scale"))
    return "scale=log works only with dots and line";
  return undefined;
}

/** The chart as its header has it. */
export function formatChart({ kind, ...keys }: ChartForm): string {
  return [kind, ...Object.entries(keys).map((pair) => pair.join("="))].join(" ");
}

export function listChartColumns({ x, y, stack }: ChartForm): string[] {
  return [x, ...(y === "rows" ? [] : [y]), ...(stack === undefined ? [] : [stack])];
}
