/** How a source is read, and how long its service remembers. */
export type Cadence = {
  /** How long the service keeps its log; undefined if not configured. */
  readonly retentionMs: number | undefined;
  readonly windowMs: number;
  /** How long after its end a window still counts as open. */
  readonly graceMs: number;
  readonly lookbackMs: number;
  /** When runs begin: at moments that are known, in rising order, or at most this time apart. */
  readonly runs: { readonly atMs: readonly number[] } | { readonly everyMs: number };
  /** Whether one run reads each closed window twice. */
  readonly confirm: boolean;
};

/** The settings that would fit; undefined ones stay unchanged. */
export type Proposal = {
  readonly windowMs?: number;
  readonly runsPerDay?: number;
  readonly confirm?: true;
};

/** Whether two reads of each window after it closed happen while the service still has its beginning. */
export type Fit = {
  readonly fits: boolean;
  /** How old the beginning of a window can be when it is read for the second time; undefined where runs are too few. */
  readonly worstAgeMs: number | undefined;
  /** How old it may be: what the service keeps, or where that is not known, what the scheduled range reaches back. */
  readonly limitMs: number;
};

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Whether the reads fit. A window without a second read is never finalized, and its late events are lost. */
export function checkFit(reads: Cadence): Fit {
  const limitMs = reads.retentionMs ?? 2 * reads.lookbackMs;
  const worstAgeMs = computeWorstAge(reads);
  return { fits: worstAgeMs !== undefined && worstAgeMs <= limitMs, worstAgeMs, limitMs };
}

function computeWorstAge({ windowMs, graceMs, runs, confirm }: Cadence): number | undefined {
  if (!("atMs" in runs)) return windowMs + graceMs + (confirm ? 1 : 2) * runs.everyMs;
  const { atMs } = runs;
  const seconds = confirm ? atMs : atMs.slice(1);
  const oldest = seconds.map((secondMs, i) => {
    // At worst, the window closed just after the run before its first read.
    const beforeMs = atMs[i - 1];
    return beforeMs === undefined
      ? 0
      : secondMs - findOldestClosedAfter(beforeMs, windowMs, graceMs);
  });
  return oldest.length < 2 ? undefined : Math.max(...oldest);
}

// The start of the first window, on the grid that begins at the epoch, that closes after a moment.
function findOldestClosedAfter(atMs: number, windowMs: number, graceMs: number): number {
  return (Math.floor((atMs - graceMs) / windowMs) + 1) * windowMs - windowMs;
}

const shorterHours = [24, 12, 8, 6, 4, 3, 2, 1, 0.5, 0.25];
const moreRuns = [2, 3, 4, 6, 8, 12, 24, 48, 96];

/**
 * Changes that make the reads fit, the smallest first: one thing alone, then two, then all. None where nothing does.
 */
export function listProposals(reads: Cadence): Proposal[] {
  const windows = shorterHours.map((h) => h * hourMs).filter((ms) => ms < reads.windowMs);
  const runs = moreRuns.filter((count) => dayMs / count < findLongestGap(reads));
  const confirms = reads.confirm ? [] : ([true] as const);
  const kinds: Proposal[][] = [
    windows.map((windowMs) => ({ windowMs })),
    runs.map((runsPerDay) => ({ runsPerDay })),
    confirms.map((confirm) => ({ confirm })),
    confirms.flatMap((confirm) => windows.map((windowMs) => ({ windowMs, confirm }))),
    combineProposals(windows, runs),
  ];
  const found = kinds.flatMap(
    (kind) => kind.find((one) => checkFit(applyProposal(reads, one)).fits) ?? [],
  );
  return found.slice(0, 3);
}

export function applyProposal(
  reads: Cadence,
  { windowMs, runsPerDay, confirm }: Proposal,
): Cadence {
  return {
    ...reads,
    windowMs: windowMs ?? reads.windowMs,
    confirm: confirm ?? reads.confirm,
    runs: runsPerDay === undefined ? reads.runs : { everyMs: dayMs / runsPerDay },
  };
}

/** Returns the longest time between two runs; infinite without two runs. */
export function findLongestGap({ runs }: Pick<Cadence, "runs">): number {
  if (!("atMs" in runs)) return runs.everyMs;
  const gaps = runs.atMs.slice(1).map((ms, i) => ms - runs.atMs[i]!);
  return gaps.length === 0 ? Infinity : Math.max(...gaps);
}

// The fewest runs with which any window fits, and the longest window that does.
function combineProposals(windows: readonly number[], runs: readonly number[]): Proposal[] {
  return runs.flatMap((runsPerDay) => windows.map((windowMs) => ({ windowMs, runsPerDay })));
}
