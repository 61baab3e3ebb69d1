import { expect, test } from "vitest";
import { type Random, newRandom } from "../../fixtures/random.ts";
import { insert, openLedger, params, sources, start, zeros } from "./ledger.ts";
import { comparable } from "./oracle/comparable.ts";
import { dayMs, hourMs, minuteMs, rowsBy, sort, span, stamp, type Row } from "./oracle/rows.ts";

const { connection, rowsOf } = await openLedger();

// The reports on the reading itself, over ledgers that a generator writes, against a computation of its own.

type Read = {
  readonly source: string;
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly readAt: number;
  readonly state: string;
  readonly reason: string | null;
  readonly fetched: number;
  readonly vanished: number;
};

// Each day read once to three times, by whole windows.
function makeReads(random: Random): Read[] {
  return sources.flatMap((source) =>
    Array.from({ length: 12 }, (_, day) =>
      Array.from({ length: random.int(1, 3) }, (_, n): Read => {
        const state = random.pick(["open", "closed", "finalized", "accepted", "gap"]);
        return {
          source,
          id: `${source}-${day}-${n}`,
          from: start + day * dayMs,
          to: start + (day + 1) * dayMs,
          readAt: start + (day + 1 + n) * dayMs + random.int(1, 600) * 1000,
          state,
          reason: state === "closed" ? random.pick(["read once", "signs"]) : null,
          fetched: random.int(0, 900),
          vanished: random.chance(0.3) ? random.int(1, 9) : 0,
        };
      }),
    ).flat(),
  );
}

const insertReads = (reads: readonly Read[]): Promise<void> =>
  insert(
    connection,
    "window_reads",
    reads.map((read) => ({
      read_id: read.id,
      run_id: `run of ${read.id}`,
      source: read.source,
      window_start: stamp(read.from),
      window_end: stamp(read.to),
      read_at: stamp(read.readAt),
      state: read.state,
      reason: read.reason,
      fetched: read.fetched,
      vanished: read.vanished,
      digest: "0",
      evidence: "[]",
      signs: "[]",
      ...zeros(
        "pages inserted duplicate quarantined outside neutral parts next_followed half_asked is_mark",
      ),
    })),
  );

// The windows of the range as their newest reads left them.
const newest = (reads: readonly Read[]) =>
  [...Map.groupBy(reads, ({ source, from }) => `${source} ${from}`).values()]
    .map((own) => ({ own, last: own.toSorted((a, b) => b.readAt - a.readAt)[0]! }))
    .filter(({ last }) => last.to > params.since && last.from < params.until);

const byWindow = (rows: readonly Row[]) => comparable(sort(rows, "window_start window_end source"));

test.each([1, 2, 3])(
  "ledger reports show windows that are not final, and vanished events, seed %i",
  async (seed) => {
    const reads = makeReads(newRandom(seed, "windows"));
    await insertReads(reads);
    const open = newest(reads).filter(({ last }) => !/^(finalized|accepted)$/.test(last.state));
    const expected = open.map(({ own, last }) => ({
      window_start: stamp(last.from),
      window_end: stamp(last.to),
      state: last.state,
      reason: last.reason,
      reads: own.length,
      last_read_at: stamp(last.readAt),
      fetched: last.fetched,
      vanished: last.vanished,
      source: last.source,
    }));
    expect(open.length).toBeGreaterThan(0);
    expect(await rowsOf("windows_not_final")).toEqual(byWindow(expected));
    const shrunk = newest(reads).filter(({ last }) => last.vanished > 0);
    expect(shrunk.length).toBeGreaterThan(0);
    const vanished = shrunk.map(({ own, last }) => ({
      window_start: stamp(last.from),
      window_end: stamp(last.to),
      vanished: last.vanished,
      fetched: last.fetched,
      state: last.state,
      reads: own.length,
      first_read_at: stamp(Math.min(...own.map(({ readAt }) => readAt))),
      last_read_at: stamp(last.readAt),
      source: last.source,
    }));
    expect(await rowsOf("vanished_events")).toEqual(byWindow(vanished));
  },
);

test.each([1, 2])("ledger reports show records that could not be read, seed %i", async (seed) => {
  const random = newRandom(seed, "quarantine");
  const records = Array.from({ length: 60 }, (_, i) => ({
    quarantine_key: String(i),
    source: random.pick(sources),
    run_id: random.pick(["r1", "r2"]),
    sha256: random.pick(["a", "b", "c"]),
    page: 0,
    reason: random.pick(["no time", "not JSON"]),
    record_text: "x",
    first_seen_at: stamp(params.since + random.int(-40, 200) * hourMs),
  }));
  await insert(connection, "quarantine", records);
  const inside = records.filter(
    ({ first_seen_at: at }) => at >= stamp(params.since) && at < stamp(params.until),
  );
  const rows = rowsBy(
    inside,
    ({ source, reason, run_id: run }) => [source, reason, run],
    (group) => ({
      reason: group[0].reason,
      run_id: group[0].run_id,
      records: group.length,
      pages: new Set(group.map(({ sha256 }) => sha256)).size,
      ...span(group.map(({ first_seen_at: at }) => Date.parse(`${at}Z`))),
      source: group[0].source,
    }),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(await rowsOf("quarantined_records")).toEqual(
    comparable(sort(rows, "-records reason run_id source")),
  );
});

test.each([1, 2, 3])(
  "ledger reports show events that arrived after their time had been read, seed %i",
  async (seed) => {
    const random = newRandom(seed, "late events");
    // A run every day, each over the two days before it; some by hand.
    const runs = sources.flatMap((source) =>
      Array.from({ length: 12 }, (_, day) => ({
        source,
        id: `${source} ${day}`,
        command: random.chance(0.8) ? "ingest" : "backfill",
        startedAt: start + (day + 1) * dayMs + random.int(0, 3) * hourMs,
        from: start + (day - 1) * dayMs,
      })),
    );
    await insert(
      connection,
      "ingest_runs",
      runs.map(({ source, id, command, startedAt, from }) => ({
        run_id: id,
        source,
        command,
        started_at: stamp(startedAt),
        range_start: stamp(from),
        range_end: stamp(startedAt),
        outcome: "complete",
        catalog_version: "x",
        tool_version: "x",
        ...zeros(
          "windows pages fetched inserted duplicate quarantined vanished requests retries bytes",
        ),
      })),
    );
    const events = Array.from({ length: 200 }, (_, i) => {
      const run = random.pick(runs);
      return {
        run,
        i,
        name: random.pick(["sign_in", "odd", null]),
        time: run.from + random.int(0, 3 * 24) * hourMs,
      };
    });
    await insert(
      connection,
      "event_rows",
      events.map(({ run, i, name, time }) => ({
        event_key: `00000000-0000-0000-0000-${String(i).padStart(12, "0")}`,
        source: run.source,
        window_start: stamp(time),
        run_id: run.id,
        first_seen_at: stamp(run.startedAt + 60_000),
        read_id: "r",
        event_time: stamp(time),
        event_date: stamp(time).slice(0, 10),
        event_name: name,
        catalog_match: "unknown_event",
        ...zeros("page_number record_number"),
      })),
    );
    const ingests = runs.filter(({ command }) => command === "ingest");
    const late = events.filter(
      ({ run, time }) =>
        run.command === "ingest" &&
        time >= params.since &&
        time < params.until &&
        ingests.some(
          (other) =>
            other.source === run.source &&
            other.startedAt < run.startedAt &&
            other.startedAt > time + 60 * minuteMs &&
            other.from <= time &&
            other.startedAt > time,
        ),
    );
    const rows = rowsBy(
      late,
      ({ run, name }) => [run.source, name],
      (group) => {
        const seconds = group.map(({ run, time }) => (run.startedAt + 60_000 - time) / 1000);
        return {
          event_name: group[0].name ?? "no name",
          events: group.length,
          least_seconds: Math.min(...seconds),
          most_seconds: Math.max(...seconds),
          ...span(group.map(({ time }) => time)),
          source: group[0].run.source,
        };
      },
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(await rowsOf("late_events")).toEqual(
      comparable(sort(rows, "-events event_name source")),
    );
  },
);
