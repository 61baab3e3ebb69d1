import { nameStamp } from "../../../base/time/text.ts";
import type { RunRow } from "./record.ts";
import type { ReadFacts, ReadResult } from "../loading/read-facts.ts";

/** A run's row before anything was read. */
export function newRun(run: {
  runId: string;
  source: string;
  command: string;
  startedAt: string;
  rangeStart: string | null;
  rangeEnd: string | null;
  catalogVersion: string;
  toolVersion: string;
}): RunRow {
  const zero = {
    windows: 0,
    pages: 0,
    fetched: 0,
    inserted: 0,
    duplicate: 0,
    quarantined: 0,
    missing: 0,
  };
  const open = { finishedAt: null, outcome: "running" as const, error: null };
  return { ...run, ...zero, requests: 0, retries: 0, bytes: 0, ...open };
}

/** The run with one more read added to its totals; the read of a file is no window. */
export function addRead(run: RunRow, read: ReadFacts, result: ReadResult): RunRow {
  return {
    ...run,
    windows: run.windows + (read.windowStart === null ? 0 : 1),
    pages: run.pages + result.pages.length,
    fetched: run.fetched + result.fetched,
    inserted: run.inserted + result.inserted,
    duplicate: run.duplicate + result.duplicate,
    quarantined: run.quarantined + result.quarantined,
    missing: run.missing + result.missing,
    bytes: run.bytes + result.pages.reduce((sum, page) => sum + page.bytes, 0),
  };
}

/** A name for a run that sorts by time and does not repeat, also among many files imported in one second. */
export function newRunId(nowMs: number, random: () => number): string {
  const stamp = nameStamp(nowMs);
  return `${stamp}-${Math.floor(random() * 0x100000000)
    .toString(16)
    .padStart(8, "0")}`;
}
