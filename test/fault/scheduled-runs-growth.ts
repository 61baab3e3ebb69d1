/** The sizes after a run. */
export type RunSize = {
  readonly events: number;
  readonly ledgerRows: number;
  /** Size of the published file. */
  readonly bytes: number;
  /** Size of a fresh copy of its content; measured after some runs only. */
  readonly compactBytes: number | undefined;
  /** Processor time of the run. */
  readonly cpuMs: number;
  /** Resident memory after the run. */
  readonly residentMb: number;
};

// The start of the year is skipped: the first runs pay for what later ones use.
const warmUpShare = 0.2;
const maxDeviation = 0.2;
// The database merges row groups at times: until it reuses the space, the file is larger than necessary.
const maxRatio = { compact: 2, slope: 1.3, memory: 1.1, cpu: 1.4 };

/** Growth that should not be: one line each. */
export function listGrowth(runs: readonly RunSize[]): string[] {
  const { copy, ratio, ledger, memory, cpu } = buildMeasured(runs);
  const complaints: [boolean, string][] = [
    [
      copy.deviation > maxDeviation,
      `its data is off a line in events by ${percent(copy.deviation)}`,
    ],
    [ratio > maxRatio.compact, `the file is ${ratio.toFixed(2)} times what a fresh copy takes`],
    [ledger.bend > maxRatio.slope, `the ledger grows ${ledger.bend.toFixed(2)} times as fast`],
    [memory.ratio > maxRatio.memory, `memory went from ${memory.early} to ${memory.late} MB`],
    [cpu.ratio > maxRatio.cpu, `a run went from ${cpu.early} to ${cpu.late} ms of processor time`],
  ];
  return complaints.filter(([isTrue]) => isTrue).map(([, text]) => text);
}

/** The growth in words, for the table. */
export function growthNote(runs: readonly RunSize[]): string {
  const { copy, ratio, ledger, memory, cpu } = buildMeasured(runs);
  const last = runs.at(-1)!;
  return [
    `${last.events.toLocaleString("en-US")} events`,
    `file ${(last.bytes / 1e6).toFixed(1)} MB, at most ${ratio.toFixed(2)} times a fresh copy`,
    `${copy.slope.toFixed(0)} bytes an event, off the line by ${percent(copy.deviation)} at most`,
    `${ledger.slope.toFixed(1)} ledger rows a run`,
    `memory ${memory.early} MB early, ${memory.late} MB late`,
    `processor time of a run ${cpu.early} ms early, ${cpu.late} ms late`,
  ].join("; ");
}

function buildMeasured(runs: readonly RunSize[]) {
  const warm = runs.slice(Math.floor(runs.length * warmUpShare));
  const copied = warm.filter((run) => run.compactBytes !== undefined);
  const places = warm.map((_, i) => i);
  const compact = copied.map((run) => run.compactBytes!);
  return {
    copy: buildLine(
      copied.map((run) => run.events),
      compact,
    ),
    ratio: Math.max(...copied.map((run, i) => run.bytes / compact[i]!)),
    ledger: buildLine(
      places,
      warm.map((run) => run.ledgerRows),
    ),
    memory: buildChange(warm.map((run) => run.residentMb)),
    cpu: buildChange(warm.map((run) => run.cpuMs)),
  };
}

/** The straight line through points, by least squares, and how far they are from it. */
function buildLine(xs: readonly number[], ys: readonly number[]) {
  const { slope, start } = fit(xs, ys);
  const off = ys.map((y, i) => Math.abs(y - start - slope * xs[i]!) / y);
  const half = Math.floor(xs.length / 2);
  const early = fit(xs.slice(0, half), ys.slice(0, half)).slope;
  const late = fit(xs.slice(half), ys.slice(half)).slope;
  return { slope, deviation: Math.max(...off), bend: late / early };
}

function fit(xs: readonly number[], ys: readonly number[]): { slope: number; start: number } {
  const [x, y] = [mean(xs), mean(ys)];
  const above = xs.reduce((sum, xi, i) => sum + (xi - x) * (ys[i]! - y), 0);
  const below = xs.reduce((sum, xi) => sum + (xi - x) ** 2, 0);
  const slope = above / below;
  return { slope, start: y - slope * x };
}

/** Median of the first third against that of the last. */
function buildChange(values: readonly number[]): { early: number; late: number; ratio: number } {
  const third = Math.ceil(values.length / 3);
  const [early, late] = [values.slice(0, third), values.slice(-third)].map(median) as [
    number,
    number,
  ];
  return { early: Math.round(early), late: Math.round(late), ratio: late / early };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
