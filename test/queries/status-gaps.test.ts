import { expect, it } from "vitest";
import { listMessages, type Given, type Tables } from "./stand-ins.ts";

// Which times were unreadable, by windows of a day or of part of one; days count from the first of March.
const dayMs = 86_400_000;
const computeMs = (day: number): number => Date.UTC(2026, 1, 28) + day * dayMs;
const at = (day: number): string =>
  new Date(computeMs(day)).toISOString().slice(0, 19).replace("T", " ");
const source = "s";

const read = (from: number, to: number, asked: number, more: Given = {}): Given => ({
  source,
  run_id: `r${asked}`,
  window_start: at(from),
  window_end: at(to),
  read_at: at(asked),
  is_mark: false,
  ...more,
});
const run = (run_id: string, more: Given = {}): Given => ({ source, run_id, ...more });
const backfill = (from: number, to: number, finished: number | null): Given => ({
  ...run("b", { command: "backfill", range_start: at(from), range_end: at(to) }),
  finished_at: finished === null ? null : at(finished),
});
const mark = (from: number, to: number, state: string): Given =>
  read(from, to, 9, { is_mark: true, state });

type Case = {
  readonly reads: readonly Given[];
  readonly runs?: readonly Given[];
  readonly finalizedUntil?: number;
  readonly retention?: number;
  readonly now?: number;
};

/** Gaps as day from, day until, and whether it is lost. */
async function readGaps({
  reads,
  runs = [],
  finalizedUntil,
  retention,
  now = 20,
}: Case): Promise<unknown[]> {
  const tables: Tables = {
    window_reads: reads,
    ingest_runs: runs,
    read_stretches: reads.flatMap(({ state, window_start, window_end, ...row }) =>
      state === "gap"
        ? [
            {
              source: row["source"]!,
              stretch_start: window_start!,
              stretch_end: window_end!,
              state,
            },
          ]
        : [],
    ),
    checkpoints:
      finalizedUntil === undefined ? [] : [{ source, finalized_until: at(finalizedUntil) }],
  };
  const found = await listMessages("status/gaps", tables, "gap_start gap_end is_lost days", {
    source,
    retention_ms: retention === undefined ? null : BigInt(retention * dayMs),
    now_ms: BigInt(computeMs(now)),
  });
  const getDay = (text: unknown): number =>
    (Date.parse(`${String(text).replace(" ", "T")}Z`) - computeMs(0)) / dayMs;
  return found.map((row) => {
    const [start, end, isLost, days] = row as [string, string, boolean, string];
    expect(Number(days)).toBeCloseTo(getDay(end) - getDay(start));
    return [getDay(start), getDay(end), isLost];
  });
}

const whole = [read(1, 2, 8), read(3, 4, 8)];
const gap = [[2, 3, false]];
const cases: Readonly<Record<string, readonly [given: Case, gaps: unknown[]]>> = {
  "between two windows": [{ reads: whole }, gap],
  "that a window covers": [{ reads: [...whole, read(1.5, 3.5, 8)] }, []],
  "that no single window covers": [{ reads: [...whole, read(1.5, 2.5, 8), read(2.5, 3, 8)] }, []],
  "that a window covers in part": [{ reads: [...whole, read(2.5, 3.5, 8)] }, [[2, 2.5, false]]],
  "of another source": [
    { reads: [read(1, 2, 8), read(3, 4, 8, { source: "t" })], runs: [run("r8", { source: "t" })] },
    [],
  ],
  "behind what a window was asked for": [
    { reads: [read(1, 2, 1.5), read(2, 3, 8)] },
    [[1.5, 2, false]],
  ],
  "by the clock of the service": [
    { reads: [read(1, 2, 8, { server_time: at(1.5) }), read(2, 3, 8)] },
    [[1.5, 2, false]],
  ],
  "before a window that had not started": [{ reads: [read(1, 2, 8), read(5, 6, 5)] }, []],
  "before a window that had started just then": [
    { reads: [read(1, 2, 8), read(5, 6, 5.5)] },
    [[2, 5, false]],
  ],
  "of files": [{ reads: [...whole, read(2, 3, 8, { window_start: null })] }, gap],
  "that is marked as one": [{ reads: [...whole, mark(2, 3, "gap")] }, gap],
  "that was read and left the scheduled range without being final": [
    { reads: [...whole, read(2, 3, 4), mark(2, 3, "gap")], retention: 30, now: 60 },
    gap,
  ],
  "that was accepted": [{ reads: [...whole, mark(2, 3, "accepted")] }, []],
  "that was accepted with more": [{ reads: [...whole, mark(1.5, 3.5, "accepted")] }, []],
  "that was accepted at its beginning": [
    { reads: [...whole, mark(1, 2.5, "accepted")] },
    [[2.5, 3, false]],
  ],
  "that was accepted at its end": [
    { reads: [...whole, mark(2.5, 5, "accepted")] },
    [[2, 2.5, false]],
  ],
  "beside what was accepted beyond the reading": [
    { reads: [...whole, mark(0, 1, "accepted"), mark(6, 7, "accepted"), mark(5, 5.5, "accepted")] },
    gap,
  ],
  "that another source accepted": [
    { reads: [...whole, { ...mark(2, 3, "accepted"), source: "t" }] },
    gap,
  ],
  "up to what is final": [{ reads: [read(1, 2, 8)], finalizedUntil: 3 }, gap],
  "from where the scheduled reading began": [
    {
      reads: [read(3, 4, 8)],
      runs: [
        run("r8", { command: "ingest", range_start: at(2) }),
        run("r7", { command: "ingest", range_start: at(1) }),
      ],
    },
    gap,
  ],
  "before the first scheduled run": [
    {
      reads: [read(3, 4, 8), read(4, 5, 9)],
      runs: [
        run("r8", { command: "ingest", range_start: at(2) }),
        run("r9", { command: "ingest", range_start: at(4) }),
      ],
    },
    gap,
  ],
  "before an import": [
    { reads: [read(3, 4, 8)], runs: [run("r8", { command: "import", range_start: at(2) })] },
    [],
  ],
  "in the range of a backfill": [
    { reads: [read(3, 4, 8, { run_id: "b" })], runs: [backfill(2, 5, 8)] },
    [
      [2, 3, false],
      [4, 5, false],
    ],
  ],
  "in that of a backfill that runs": [
    { reads: [read(3, 4, 8, { run_id: "b" })], runs: [backfill(2, 5, null)] },
    [
      [2, 3, false],
      [4, 5, false],
    ],
  ],
  "in that of a backfill beyond its end": [
    { reads: [read(2, 3, 8)], runs: [backfill(2, 9, 4)] },
    [[3, 4, false]],
  ],
  "in that of one whose last window was asked for before it came": [
    {
      reads: [read(2, 3, 8), read(4, 6, 5, { run_id: "b" }), read(2, 4, 4.5, { run_id: "b" })],
      runs: [backfill(2, 6, 9)],
    },
    [],
  ],
  "in that of one whose last window others asked for": [
    {
      reads: [read(2, 3, 8), read(4, 6, 5)],
      runs: [backfill(2, 6, 9)],
    },
    [
      [3, 4, false],
      [5, 6, false],
    ],
  ],
  "in that of one that asked for what begins at its end": [
    { reads: [read(2, 4, 8), read(6, 7, 5, { run_id: "b" })], runs: [backfill(2, 6, 9)] },
    [[4, 6, false]],
  ],
  "in that of a backfill of another source": [
    { reads: whole, runs: [{ ...backfill(2, 9, 9), source: "t" }] },
    gap,
  ],
  "in that of a run that read nothing": [
    { reads: whole, runs: [{ ...backfill(0, 9, 9), command: "ingest" }] },
    gap,
  ],
  "that begins when its backfill ends": [
    { reads: [read(1, 2, 8)], runs: [backfill(9, 10, 9)] },
    [],
  ],
  "of times to come": [{ reads: [read(1, 2, 8)], runs: [backfill(9, 10, 8.5)] }, []],
};
it.each(Object.entries(cases))("gaps shows a coverage gap %s", async (_what, [given, expected]) => {
  expect(await readGaps(given)).toEqual(expected);
});

it("gaps merges adjacent ones", async () => {
  const reads = [...whole, mark(2.3, 2.5, "accepted"), mark(2.4, 2.4, "accepted")];
  const runs = [backfill(2.6, 2.8, 9)];
  expect(await readGaps({ reads, runs })).toEqual([
    [2, 2.3, false],
    [2.5, 3, false],
  ]);
});

// The service keeps three days, and its clock is ahead of this one's. The first run asked on day 5, and so could see
// what came from day 2 on.
const first = read(4, 5, 5);
const forgotten: Readonly<Record<string, readonly [reads: Given[], gaps: unknown[]]>> = {
  "all of it": [[first, read(5, 6, 10)], [[5, 6, true]]],
  "a part of it": [[first, read(5, 8, 10)], [[5, 7, true]]],
  "nothing of it": [[first, read(5, 8, 8)], []],
  "what another read showed": [[first, read(5, 8, 10), read(5, 8, 8)], []],
  "what its own run showed": [[first, read(5, 8, 10), read(7.5, 8, 8, { run_id: "r10" })], []],
  "what it forgot before the first run": [[first, read(1, 4, 10)], [[2, 4, true]]],
  "two windows": [[first, read(5, 6, 10), read(6, 7, 10)], [[5, 7, true]]],
};
it.each(Object.entries(forgotten))(
  "gaps shows what the service had deleted: %s",
  async (_what, [reads, expected]) => {
    expect(await readGaps({ reads, retention: 3, now: 8 })).toEqual(expected);
  },
);

it("gaps is lost if the service no longer retains its start", async () => {
  const reads = [read(1, 2, 4), read(3, 4, 4)];
  expect(await readGaps({ reads, retention: 3, now: 5 })).toEqual(gap);
  expect(await readGaps({ reads, retention: 3, now: 5.01 })).toEqual([[2, 3, true]]);
});
