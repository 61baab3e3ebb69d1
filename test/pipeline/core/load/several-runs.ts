import { afterEach, beforeEach, expect } from "vitest";
import type { LoggedEvent } from "../../../../fixtures/record.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

/** The start of a day, counted from the first run. */
export const day = (n: number): number => Date.UTC(2026, 2, 1 + n);
/** A time as the ledger writes it. */
export const text = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replace("T", " ");
/** Four events a day. */
export const daily = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: (to - from) * 4 }, (_, i) => eventAt(day(from) + i * 6 * hourMs + 1000));

// Nothing in the ledger may contradict itself.
const contradictions = `select r.run_id from ingest_runs as r
     left join (select run_id, sum(fetched) f, sum(inserted) i, sum(duplicate) d, sum(quarantined) q, count(*) n from ingest_pages group by 1) as p on p.run_id = r.run_id
     where (r.fetched, r.inserted, r.duplicate, r.quarantined, r.pages)
       is distinct from (coalesce(p.f, 0), coalesce(p.i, 0), coalesce(p.d, 0), coalesce(p.q, 0), coalesce(p.n, 0))
       or r.fetched <> r.inserted + r.duplicate + r.quarantined`;

/** The scheduled runs of one test. */
export type SeveralRuns = {
  readonly remote: Remote;
  /** The state of each window, by month and day. */
  readonly states: () => Promise<Record<string, unknown>>;
  readonly checkpoint: () => Promise<unknown>;
  /** Reads as cron would, and returns what that said. */
  readonly runAt: (atMs: number, code?: number) => Promise<string>;
};

/** Prepares a service and a home before each test; after it, the books of the home have to balance. */
export function newSeveralRuns(): SeveralRuns {
  let remote: Remote;
  beforeEach(async () => {
    remote = await newRemote(day(0) + 2 * hourMs);
  });
  afterEach(async () => {
    expect(await remote.home.rows(contradictions)).toEqual([]);
    await remote[Symbol.asyncDispose]();
  });
  return {
    get remote() {
      return remote;
    },
    states: async () => {
      const rows = await remote.home.rows(
        "select window_start, state from ingest_windows order by 1",
      );
      return Object.fromEntries(
        rows.map((row) => [String(row["window_start"]).slice(5, 10), row["state"]]),
      );
    },
    checkpoint: async () =>
      (await remote.home.rows("select finalized_until from checkpoints"))[0]?.["finalized_until"],
    runAt: async (atMs, code = 0) => {
      remote.clock.nowMs = atMs;
      const outcome = await remote.ingest();
      expect([outcome.err, outcome.code]).toEqual([outcome.err, code]);
      return outcome.err;
    },
  };
}
