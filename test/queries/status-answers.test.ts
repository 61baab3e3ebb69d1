import { expect, it } from "vitest";
import { listMessages, type Given } from "./stand-ins.ts";

// What `status` and related commands report about a ledger: each rule on rows at its border and beside it.
const at = (hour: number, second = 0): string =>
  new Date(Date.UTC(2026, 2, 2, hour, 0, second)).toISOString().slice(0, 19).replace("T", " ");
const source = "s";

it("backfills has those that no later one over their range repaired", async () => {
  const run = (outcome: string, from: number, hour: number, more: Given = {}): Given => ({
    source,
    command: "backfill",
    outcome,
    started_at: at(hour),
    range_start: at(from),
    range_end: at(from + 1),
    ...more,
  });
  const ingest_runs = [
    run("partial", 1, 12),
    run("failed", 2, 12),
    run("interrupted", 3, 12),
    run("done", 3, 12),
    run("done", 3, 11),
    run("done", 3, 13, { source: "t" }),
    run("done", 3, 13, { command: "ingest" }),
    run("failed", 4, 12),
    run("done", 4, 13, { range_start: at(4, 1) }),
    run("done", 4, 13, { range_end: at(5, -1) }),
    run("partial", 5, 12),
    run("done", 5, 13),
    run("failed", 6, 12, { command: "ingest" }),
    run("failed", 7, 12, { range_start: null }),
    run("failed", 8, 12, { source: "t" }),
  ];
  const columns = "range_start range_end outcome started_at";
  expect(await listMessages("status/backfills", { ingest_runs }, columns, { source })).toEqual([
    [at(1), at(2), "partial", at(12)],
    [at(2), at(3), "failed", at(12)],
    [at(3), at(4), "interrupted", at(12)],
    [at(4), at(5), "failed", at(12)],
  ]);
});

it("event_ends has the first and the last event, and the last one before the first window", async () => {
  const others = [at(1), at(23)].map((event_time) => ({ source: "t", event_time }));
  const event_rows = [...[9, 8, 10].map((hour) => ({ source, event_time: at(hour) })), ...others];
  const ask = (first_window: string | null): Promise<unknown[]> =>
    listMessages("status/event_ends", { event_rows }, "first_event last_before last_event", {
      source,
      first_window,
    });
  expect(await ask(null)).toEqual([[at(8), at(10), at(10)]]);
  expect(await ask(at(9))).toEqual([[at(8), at(8), at(10)]]);
  expect(await ask(at(9, 1))).toEqual([[at(8), at(9), at(10)]]);
  expect(await ask(at(8))).toEqual([[at(8), null, at(10)]]);
});

it("failed_run has the first failed run since a moment, otherwise the first at all", async () => {
  const run = (run_id: string, outcome: string, hour: number, command = "ingest"): Given => ({
    run_id,
    command,
    outcome,
    started_at: at(hour),
  });
  const all = [
    run("before", "failed", 7),
    run("other", "failed", 8, "import"),
    run("done", "done", 8),
    run("b", "partial", 9),
    run("a", "failed", 9),
    run("late", "failed", 10),
  ];
  const ask = (ingest_runs: Given[], hour: number): Promise<unknown[]> =>
    listMessages("status/failed_run", { ingest_runs }, "run_id", {
      command: "ingest",
      since: at(hour),
    });
  expect(await ask(all, 8)).toEqual(["a"]);
  expect(await ask(all, 7)).toEqual(["before"]);
  expect(await ask(all, 10)).toEqual(["late"]);
  expect(await ask(all.slice(0, 3), 8)).toEqual(["done"]);
});

it("imported has the sources of files, and the first of their windows that was read completely", async () => {
  const read = (of: string, hour: number | null, more: Given = {}): Given => ({
    source: of,
    window_start: hour === null ? null : at(hour),
    neutral: false,
    is_mark: false,
    ...more,
  });
  const window_reads = [
    read("windows", 1),
    read("files", null),
    read("both", null),
    read("both", 5),
    read("both", 4),
    read("both", 2, { neutral: true }),
    read("both", 1, { is_mark: true }),
  ];
  expect(
    await listMessages("status/imported", { window_reads }, "source first_window", {}),
  ).toEqual([
    ["both", at(4)],
    ["files", null],
  ]);
});

it("names has each source that any part of the ledger knows, once", async () => {
  const tables = {
    ingest_runs: [{ source: "b" }, { source: "b" }, { source: "d" }],
    window_reads: [{ source: "c" }, { source: "d" }],
    checkpoints: [{ source: "a" }, { source: "d" }],
  };
  expect(await listMessages("status/names", tables, "source", {})).toEqual(["a", "b", "c", "d"]);
});

it("provenance has the newest run of each source", async () => {
  const run = (of: string, run_id: string, hour: number): Given => ({
    source: of,
    run_id,
    started_at: at(hour),
    finished_at: at(hour, 9),
  });
  const tables = {
    ingest_runs: [run("b", "1", 8), run("b", "2", 10), run("b", "3", 9), run("a", "4", 7)],
    final_up_to: [{ source: "b", final_from: at(1), final_until: at(2) }],
  };
  const columns = "source final_from final_until run_id finished_at";
  expect(await listMessages("status/provenance", tables, columns, {})).toEqual([
    ["a", null, null, "4", at(7, 9)],
    ["b", at(1), at(2), "2", at(10, 9)],
  ]);
});

it("quarantine counts the records of one source or of all, the commonest reason first", async () => {
  const record = (of: string, reason: string, hour: number): Given => ({
    source: of,
    reason,
    first_seen_at: at(hour),
  });
  const quarantine = [
    record("b", "odd", 3),
    record("b", "time", 4),
    record("b", "time", 2),
    record("a", "time", 5),
    record("a", "odd", 6),
  ];
  const ask = (of: string | null): Promise<unknown[]> =>
    listMessages("status/quarantine", { quarantine }, "source reason records last_seen", {
      source: of,
    });
  const [a, b] = [
    [
      ["a", "odd", "1", at(6)],
      ["a", "time", "1", at(5)],
    ],
    [
      ["b", "time", "2", at(4)],
      ["b", "odd", "1", at(3)],
    ],
  ];
  expect(await ask(null)).toEqual([...a, ...b]);
  expect(await ask("b")).toEqual(b);
});

it("reads has the pages of each read in order", async () => {
  const tables = {
    window_reads: ["two", "none"].map((read_id) => ({ read_id, source })),
    ingest_pages: [
      { read_id: "two", page: 1, sha256: "y", bytes: 2 },
      { read_id: "two", page: 0, sha256: "x", bytes: 1 },
    ],
  };
  expect(await listMessages("status/reads", tables, "read_id page_list", {})).toEqual([
    ["none", "[]"],
    ["two", '[{"sha256":"x","bytes":1},{"sha256":"y","bytes":2}]'],
  ]);
});

it("runs has the last five of one source or of all, the newest first", async () => {
  const ingest_runs = [1, 2, 3, 4, 5, 6, 7].map((hour): Given => ({
    run_id: `${hour}`,
    source: hour < 7 ? source : "t",
    started_at: at(hour),
    finished_at: at(hour, hour),
  }));
  const ask = (of: string | null): Promise<unknown[]> =>
    listMessages("status/runs", { ingest_runs }, "seconds", { source: of });
  expect(await ask(null)).toEqual(["7", "6", "5", "4", "3"]);
  expect(await ask(source)).toEqual(["6", "5", "4", "3", "2"]);
});
