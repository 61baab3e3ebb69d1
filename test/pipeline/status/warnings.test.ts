import { describe, expect, it } from "vitest";
import { readingWarnings } from "../../../pipeline/status/warnings.ts";
import { dayMs } from "../../support/remote.ts";

const day = (number: number): string => `2026-03-${String(number).padStart(2, "0")}T00:00:00Z`;
const gap = (from: number, to: number) => ({ gap_start: day(from), gap_end: day(to) });
const once = (from: number, to: number, reason = "once") => ({
  reason,
  windows: to - from,
  first_start: day(from),
  last_end: day(to),
  signs: "",
  is_scheduled: false,
});
const backfill = { range_start: "2026-03-02T08:00:00Z", range_end: day(10), outcome: "failed" };
type Known = Partial<Parameters<typeof readingWarnings>[0]>;
const told = (known: Known): string[] =>
  readingWarnings(
    { source: "prod", gaps: [], backfills: [], unfinalized: [], silence: null, ...known },
    dayMs,
  );

describe("a backfill that broke off", () => {
  const all = { gaps: [gap(5, 10)], backfills: [backfill], unfinalized: [once(2, 5)] };
  const line =
    "the backfill from 2026-03-02T08:00:00Z to 2026-03-10T00:00:00Z ended failed, and part of its range was not read; run auditlake ingest --source prod --from 2026-03-02T08:00:00Z --to 2026-03-10T00:00:00Z --confirm";

  it("is told of in one line, with one command for all that it left", () => {
    expect(told(all)).toEqual([line]);
  });

  it("hides no gap and no window beside it, and none that has other reasons", () => {
    const gaps = [...all.gaps, gap(20, 21)];
    const unfinalized = [...all.unfinalized, once(3, 4, "differs"), once(1, 5)];
    expect(told({ ...all, gaps, unfinalized })).toEqual([
      expect.stringContaining(
        `1 gap in what was read; run auditlake ingest --source prod --from ${day(20)}`,
      ),
      line,
      expect.stringContaining("the last two reads did not agree"),
      expect.stringContaining("not final: 4 windows of 2026-03-01"),
    ]);
  });

  it("hides no gap that is lost, nor one that reaches beyond its range", () => {
    const lost = { ...gap(5, 6), is_lost: true };
    expect(told({ ...all, gaps: [...all.gaps, lost] })).toEqual([
      expect.stringContaining(`nobody read ${day(5)} to ${day(6)} while the service kept it`),
      line,
    ]);
    const beyond = { ...gap(9, 10), gap_end: "2026-03-10T12:00:00Z" };
    expect(told({ ...all, gaps: [beyond] })).toEqual([
      expect.stringContaining(`--from ${day(9)} --to 2026-03-10T12:00:00Z`),
      line,
    ]);
  });

  it("is none where nothing of its range is missing: then each has its own line", () => {
    expect(told({ ...all, gaps: [gap(20, 21)] })).toEqual([
      expect.stringContaining("1 gap in what was read"),
      expect.stringContaining("not final: 3 windows"),
    ]);
  });
});
