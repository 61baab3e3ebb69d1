import { beforeAll, expect, it } from "vitest";
import {
  countConflicts,
  listCoveredIntervals,
  countLateArrivals,
  findNewestRead,
  readWatermark,
} from "../../../../../pipeline/core/store/ledger/coverage.ts";
import { insert, openLedger, zeros } from "../../../../queries/ledger.ts";
import { dayMs, stamp } from "../../../../queries/oracle/rows.ts";

// What the ledger says of the time of a source that was read, of a few reads and events.

const ledger = await openLedger();
const start = Date.UTC(2026, 2, 1);
const getDay = (n: number): number => start + n * dayMs;

type Read = readonly [id: string, source: string, run: string, day: number, state: string];
const reads: readonly Read[] = [
  ["a0", "a", "first", 0, "finalized"],
  ["a1", "a", "first", 1, "finalized"],
  ["a2", "a", "second", 2, "open"],
  ["b0", "b", "second", 0, "open"],
];
const events = [
  // Of its own window, and before it by a day, two seconds apart.
  ["a2", "second", getDay(2), "x"],
  ["a2", "second", getDay(1), "x"],
  ["a2", "second", getDay(1) + 2000, "y"],
  ["a1", "first", getDay(1) + 1000, "y"],
  ["a1", "first", getDay(2), "z"],
] as const;

beforeAll(async () => {
  const { connection } = ledger;
  await insert(
    connection,
    "ingest_runs",
    ["first", "second", "running"].map((run) => ({
      run_id: run,
      source: run === "running" ? "d" : "a",
      command: "ingest",
      started_at: stamp(start),
      range_start: stamp(run === "running" ? getDay(7) : start),
      outcome: "completed",
      catalog_version: "",
      tool_version: "",
      ...zeros("windows pages fetched inserted duplicate quarantined vanished requests retries"),
      bytes: 0,
    })),
  );
  const reached = { finalized_until: stamp(getDay(2)), updated_at: stamp(start) };
  await insert(connection, "checkpoints", [{ source: "a", run_id: "first", ...reached }]);
  await insert(
    connection,
    "window_reads",
    reads.map(([id, source, run, day, state]) => ({
      read_id: id,
      run_id: run,
      source,
      window_start: stamp(getDay(day)),
      window_end: stamp(getDay(day + 1)),
      read_at: stamp(getDay(day + 3)),
      state,
      digest: "",
      evidence: "[]",
      signs: "[]",
      ...zeros("pages fetched duplicate quarantined vanished neutral parts"),
      ...zeros("next_followed half_asked is_mark"),
      outside: id === "a2" || id === "a1" ? 1 : 0,
      inserted: 1,
    })),
  );
  await insert(
    connection,
    "event_rows",
    events.map(([read, run, at, id], i) => ({
      event_key: `00000000-0000-0000-0000-00000000000${i}`,
      source: "a",
      window_start: stamp(start),
      run_id: run,
      first_seen_at: stamp(start),
      read_id: read,
      ...zeros("page_number record_number"),
      event_time: stamp(at),
      event_date: stamp(at),
      catalog_match: "unknown_event",
      id,
    })),
  );
});

it("late events of a run in final time are reported, in any number", async () => {
  const late = (run: string, startMs: number, endMs: number): Promise<unknown> =>
    countLateArrivals(ledger.connection, run, { startMs, endMs });
  expect(await late("second", getDay(0), getDay(2))).toEqual({
    events: 2,
    firstMs: getDay(1),
    lastMs: getDay(1) + 2000,
  });
  expect(await late("second", getDay(1) + 1, getDay(2))).toMatchObject({ events: 1 });
  expect(await late("second", getDay(1), getDay(1) + 2000)).toMatchObject({ events: 1 });
  expect(await late("second", getDay(0), getDay(1))).toBeUndefined();
  // The end of a window is in the next one.
  expect(await late("first", getDay(0), getDay(3))).toMatchObject({
    events: 1,
    firstMs: getDay(2),
  });
});

it("events of a run whose id others of those days have are counted", async () => {
  const { connection } = ledger;
  expect(await countConflicts(connection, "second", "a")).toEqual({ inserted: 3, conflicts: 3 });
  expect(await countConflicts(connection, "first", "a")).toEqual({ inserted: 2, conflicts: 1 });
  expect(await countConflicts(connection, "third", "a")).toEqual({ inserted: 0, conflicts: 0 });
  // Those of another source, and of other days, are not meant.
  await connection.run(`insert into event_rows select * replace ('b' as source, 'other' as run_id, uuid() as event_key)
    from event_rows where run_id = 'first'`);
  expect(await countConflicts(connection, "first", "a")).toMatchObject({ conflicts: 1 });
  await connection.run("delete from event_rows where source = 'b'");
});

it("intervals that touch a range are reported, with their last read and its progress", async () => {
  const { connection } = ledger;
  const listHeld = async (fromMs: number, toMs: number): Promise<unknown> =>
    (await listCoveredIntervals(connection, "a", fromMs, toMs)).map(({ startMs, state }) => [
      (startMs - start) / dayMs,
      state,
    ]);
  expect(await listHeld(getDay(1), getDay(2))).toEqual([[1, "finalized"]]);
  expect(await listHeld(getDay(1) - 1, getDay(2) + 1)).toEqual([
    [0, "finalized"],
    [1, "finalized"],
    [2, "open"],
  ]);
  expect(await findNewestRead(connection, "a")).toBe(getDay(5));
  expect(await findNewestRead(connection, "c")).toBeUndefined();
  expect(await readWatermark(connection, "a")).toEqual({
    final: { startMs: getDay(0), endMs: getDay(2) },
    // A single run has read what is final, so one more does.
    resumeMs: getDay(0),
  });
  await connection.run(`insert into window_reads by name
    select * replace (read_id || '-again' as read_id, 'third' as run_id, read_at - interval 1 hour as read_at)
    from window_reads where source = 'a' and state = 'finalized'`);
  expect(await readWatermark(connection, "a")).toMatchObject({ resumeMs: getDay(2) });
  expect(await readWatermark(connection, "d")).toEqual({ final: undefined, resumeMs: getDay(7) });
  expect(await readWatermark(connection, "c")).toEqual({ final: undefined, resumeMs: undefined });
});
