import { expect, it } from "vitest";
import { listMessages, type Given } from "./stand-ins.ts";

// How `status` judges the reading of a source, on windows, runs and events that lie on the border of each rule.
const at = (day: number, hour = 0, second = 0): string =>
  new Date(Date.UTC(2026, 2, day, hour, 0, second)).toISOString().slice(0, 19).replace("T", " ");
const source = "s";

// Two days have no event. Windows of a day were read, but for those that are left out or were not asked for.
it.each<[what: string, without: number[], unasked: number[], hours: number]>([
  ["all of it was read", [], [], 48],
  ["part of it was not read", [11], [], 1],
  ["part of it was not asked for", [], [11], 1],
  ["what lies before it was not read", [9], [], 48],
  ["what lies behind it was not read", [12], [], 48],
])("silence knows a pause if %s", async (_what, without, unasked, hours) => {
  const days = Array.from({ length: 30 }, (_, i) => i - 3).filter((day) => !without.includes(day));
  const known_windows = days.flatMap((day): Given[] => [
    {
      source,
      window_start: at(day),
      window_end: at(day + 1),
      reads: unasked.includes(day) ? 0 : 1,
    },
    { source: "t", window_start: at(11, 12), window_end: at(11, 13), reads: 1 },
  ]);
  const times = [at(10, -1), at(10), at(12), at(12, 1), at(12, 1, 59)];
  const tables = {
    known_windows,
    event_rows: [
      ...times.map((event_time) => ({ source, event_time })),
      { source: "t", event_time: at(11) },
    ],
  };
  const values = { source, last_event: at(12, 1, 59), read_up_to: at(12, 2, 59) };
  const columns = "last_event silent_seconds usual_seconds";
  expect(await listMessages("status/silence", tables, columns, values)).toEqual([
    [at(12, 1, 59), "3600", String(hours * 3600)],
  ]);
});

it("silence covers four weeks before the last event, and nothing after it", async () => {
  const ask = async (...times: string[]): Promise<unknown> => {
    const event_rows = times.map((event_time) => ({ source, event_time }));
    const values = { source, last_event: at(29), read_up_to: at(30) };
    const tables = { event_rows, known_windows: [] };
    return (await listMessages("status/silence", tables, "usual_seconds", values))[0];
  };
  const weeks = 28 * 86_400;
  expect(await ask(at(1), at(29))).toBe(String(weeks));
  expect(await ask(at(1, 0, -1), at(29))).toBe("0");
  expect(await ask(at(29), at(29, 1))).toBe("0");
});

it("last_event has the last event up to the requested time of a source", async () => {
  const tables = {
    known_reach: [
      { source, read_up_to: at(9) },
      { source: "t", read_up_to: at(11) },
    ],
    event_rows: [
      ...[at(8), at(9), at(9, 0, 1)].map((event_time) => ({ source, event_time })),
      { source: "t", event_time: at(1) },
    ],
  };
  const ask = (of: string): Promise<unknown[]> =>
    listMessages("status/last_event", tables, "read_up_to last_event", { source: of });
  expect(await ask(source)).toEqual([[at(9), at(9)]]);
  expect(await ask("t")).toEqual([[at(11), at(1)]]);
  expect(await ask("u")).toEqual([]);
});

const run = (of: string, hour: number, outcome: string, more: Given = {}): Given => ({
  source: of,
  run_id: `${hour}`,
  command: "ingest",
  outcome,
  started_at: at(2, hour),
  finished_at: at(2, hour, 9),
  quarantined: 10 ** hour,
  ...more,
});

it("sources has the status of the runs of each, and its other known facts", async () => {
  const tables = {
    ingest_runs: [
      run("a", 1, "done"),
      run("a", 2, "done", { command: "backfill" }),
      run("a", 3, "partial", { error: "odd" }),
      run("a", 4, "interrupted", { error: "cut" }),
      run("a", 5, "interrupted"),
      run("b", 0, "done"),
      run("b", 1, "done"),
      run("b", 2, "interrupted"),
      run("b", 3, "failed"),
      run("d", 3, "failed", { run_id: "0", quarantined: 5 }),
      run("d", 3, "failed"),
    ],
    window_reads: [{ source: "c" }, { source: "a" }],
    checkpoints: [{ source: "d" }, { source: "a" }],
    final_up_to: [{ source: "a", final_from: at(1), final_until: at(3) }],
    known_reach: [{ source: "a", read_up_to: at(4) }],
    known_windows: [
      { source: "a", vanished: 2 },
      { source: "a", vanished: 3 },
    ],
    id_conflicts: [{ source: "a" }, { source: "a" }],
  };
  const ask = (columns: string, of: string | null = null): Promise<unknown[]> =>
    listMessages("status/sources", tables, columns, { source: of });
  expect(await ask("source final_from final_up_to read_up_to vanished id_conflicts")).toEqual([
    ["a", at(1), at(3), at(4), "5", "2"],
    ...["b", "c", "d"].map((name) => [name, null, null, null, "0", "0"]),
  ]);
  expect(await ask("source last_success last_error last_error_at last_quarantined")).toEqual([
    ["a", at(2, 1, 9), "cut", at(2, 4), "110000"],
    ["b", at(2, 1, 9), null, null, "1100"],
    ["c", null, null, null, "0"],
    ["d", null, null, null, "1000"],
  ]);
  expect(await ask("source", "b")).toEqual(["b"]);
});

it("unfinalized has the closed windows by reason, and whether a scheduled run requested them", async () => {
  const window = (day: number, more: Given = {}): Given => ({
    source,
    state: "closed",
    reads: 1,
    signs: "[]",
    window_start: at(day),
    window_end: at(day + 1),
    ...more,
  });
  const known_windows = [
    window(1, { reason: "differs" }),
    window(2, { reads: 3 }),
    window(3, { reason: "once" }),
    window(4, { reads: 2 }),
    window(5, { reason: "signs", signs: "[next, error]" }),
    window(6, { reason: "lacking", source: "t" }),
    window(7, { reason: "lacking", state: "finalized" }),
  ];
  const read = (run_id: string, day: number | null, of = source): Given => ({
    source: of,
    run_id,
    window_start: day === null ? null : at(day),
  });
  const tables = {
    known_windows,
    window_reads: [read("i", 3), read("i", 4), read("b", 1), read("i", 2, "t"), read("i", null)],
    ingest_runs: [
      { run_id: "i", command: "ingest" },
      { run_id: "b", command: "backfill" },
    ],
  };
  const columns = "reason signs is_scheduled windows first_start last_end reads";
  const find = (more: object = {}): Promise<unknown[]> =>
    listMessages("status/unfinalized", { ...tables, ...more }, columns, { source });
  expect(await find()).toEqual([
    ["differs", "", false, "1", at(1), at(2), "1"],
    ["once", "", false, "1", at(2), at(3), "3"],
    ["once", "", true, "2", at(3), at(5), "2"],
    ["signs", "next, error", true, "1", at(5), at(6), "1"],
  ]);
  // By backfills alone nothing is scheduled.
  expect((await find({ ingest_runs: [] })).map((row) => (row as unknown[])[2])).toEqual([
    false,
    false,
    false,
  ]);
});

it("vanished and windows show the windows of one source or of all", async () => {
  const window = (of: string, day: number, state: string, vanished: number): Given => ({
    source: of,
    window_start: at(day),
    window_end: at(day + 1),
    state,
    vanished,
  });
  const known_windows = [
    window("b", 4, "open", 0),
    window("b", 3, "closed", 2),
    window("b", 2, "closed", 1),
    window("a", 2, "closed", 1),
  ];
  const columns = "source state windows first_start last_end";
  const ask = (of: string | null): Promise<unknown[]> =>
    listMessages("status/windows", { known_windows }, columns, { source: of });
  const ofB = [
    ["b", "closed", "2", at(2), at(4)],
    ["b", "open", "1", at(4), at(5)],
  ];
  expect(await ask(null)).toEqual([["a", "closed", "1", at(2), at(3)], ...ofB]);
  expect(await ask("b")).toEqual(ofB);
  const vanished = await listMessages(
    "status/vanished",
    { known_windows },
    "window_start vanished",
    {
      source: "b",
    },
  );
  expect(vanished).toEqual([
    [at(2), "1"],
    [at(3), "2"],
  ]);
});

it("users has the events of each, by id or by the e-mail of those without one", async () => {
  const user = (of: string, user_id: number, email: string | null): Given => ({
    source: of,
    user_id,
    email,
  });
  const event = (day: number, user_id: number | null, actor_email: string | null): Given => ({
    source,
    event_time: at(day),
    user_id,
    actor_email,
  });
  const tables = {
    users: [
      user(source, 2, "Bob@example.com"),
      user(source, 1, "ann@example.com"),
      user(source, 3, null),
      user("t", 1, "bob@example.com"),
      user("r", 1, null),
    ],
    events: [
      event(1, 1, "ann@example.com"),
      event(3, 1, null),
      event(2, null, "ann@example.com"),
      event(4, null, "bob@example.com"),
      event(5, null, null),
      event(6, 9, "bob@example.com"),
    ],
  };
  const columns = "source user_id events last_event_time";
  expect(await listMessages("status/users", tables, columns, {})).toEqual([
    ["r", "1", "0", null],
    ["s", "1", "3", at(3)],
    ["s", "2", "1", at(4)],
    ["s", "3", "0", null],
    ["t", "1", "0", null],
  ]);
});

it("unread treats at most an hour from the last event of a file to the first window as read", async () => {
  const read = (more: Given): Given => ({
    source,
    read_at: at(9),
    neutral: false,
    is_mark: false,
    ...more,
  });
  const nothing = { ingest_runs: [], user_history: [], policy_snapshots: [], prunes: [] };
  const window_reads = [read({}), read({ window_start: at(5), window_end: at(6) })];
  const find = (last: string): Promise<unknown[]> => {
    const imported = [{ source, first_event: at(1), last_before: last, last_event: last }];
    const values = { source, imported: JSON.stringify(imported) };
    const columns = "unread_from unread_until";
    return listMessages("status/unread", { ...nothing, window_reads }, columns, values);
  };
  const [begin, end] = [
    [null, at(1)],
    [at(6), null],
  ];
  expect(await find(at(4, 23))).toEqual([begin, end]);
  expect(await find(at(4, 23, -1))).toEqual([begin, [at(4, 23, -1), at(5)], end]);
});
