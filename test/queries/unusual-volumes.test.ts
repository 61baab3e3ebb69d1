import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// Each of these has 30 sign-ins on each day from 20 February to 5 March; the report is asked for 6 and 7 March.
type Log = {
  /** Further days with as many. */
  readonly days?: readonly number[];
  /** When anybody was last seen, also behind the range. */
  readonly seen?: string;
  /** Windows, from and to, and when the service was asked. */
  readonly windows?: readonly (readonly [from: string, to: string, askedAt?: string])[];
  readonly isNeutral?: boolean;
  readonly isMark?: boolean;
  /** The silent days that are reported. */
  readonly expected: readonly number[];
};
const whole = [["02-20", "03-08"]] as const;
const logs: Readonly<Record<string, Log>> = {
  "a file with a silent day": { days: [7], seen: "03-07 12:00", expected: [6] },
  "a file that continues after the range": { seen: "03-09 12:00", expected: [6, 7] },
  "a file that ends": { seen: "03-05 12:00", expected: [] },
  "read whole": { windows: whole, expected: [6, 7] },
  "read in two windows": {
    windows: [
      ["02-20", "03-06 12:00"],
      ["03-06 12:00", "03-08"],
    ],
    expected: [6, 7],
  },
  "with an unread hour": {
    days: [7],
    windows: [
      ["02-20", "03-06 12:00"],
      ["03-06 13:00", "03-08"],
    ],
    expected: [],
  },
  "read up to now": { windows: [["02-20", "03-08", "03-07 18:00"]], expected: [6] },
  "that the service did not have": { windows: whole, isNeutral: true, expected: [] },
  "that was marked": { windows: whole, isMark: true, expected: [] },
  "a file before its first window": { windows: [["03-07", "03-08"]], expected: [7] },
};

const usualDays = Array.from({ length: 14 }, (_, i) => i - 8);

const at = (text: string): string =>
  `timestamp '2026-${text.includes(":") ? text : `${text} 00:00`}'`;

function listTables(): string[] {
  const names = Object.keys(logs);
  const days = names.flatMap((name) =>
    [...usualDays, ...(logs[name]!.days ?? [])].map(
      (day) => `('${name}', date '2026-03-01' + ${day - 1})`,
    ),
  );
  const windows = names.flatMap((name) =>
    (logs[name]!.windows ?? []).map(
      ([from, to, askedAt = "03-09"]) =>
        `('${name}', ${at(from)}, ${at(to)}, ${at(askedAt)}, ${logs[name]!.isMark === true}, ${logs[name]!.isNeutral === true})`,
    ),
  );
  const seen = names.map((name) => `('${name}', ${at(logs[name]!.seen ?? "03-05 12:00")})`);
  return [
    `create table events as select source, event_date, event_date + interval '12' hour as event_time,
       'sign_in' as event_name, 'unknown' as actor from (values ${days.join(", ")}) as d(source, event_date), range(30)`,
    `create table window_reads as select *, null::timestamp as server_time from (values ${windows.join(", ")})
       as w(source, window_start, window_end, read_at, is_mark, neutral)`,
    `create table sightings as select * from (values ${seen.join(", ")}) as s(source, last_seen_at)`,
  ];
}

it("reports include read days without events, and no unread ones", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const sql of listTables()) await connection.run(sql);
  const report = reports.find(({ name }) => name === "unusual_volumes")!;
  const range = new Map([
    ["since", "2026-03-06"],
    ["until", "2026-03-08"],
  ]);
  const { rows } = await runReport(connection, report, range);
  const expected = Object.keys(logs).map((name) => [
    name,
    rows
      .filter((row) => row["source"] === name && row["change"] === "fewer" && row["events"] === "0")
      .map((row) => Number(String(row["day"]).slice(-2))),
  ]);
  expect(expected).toEqual(Object.entries(logs).map(([name, log]) => [name, log.expected]));
  expect(rows).toHaveLength(Object.values(logs).flatMap((log) => log.expected).length);
  connection.closeSync();
  instance.closeSync();
});

// Four weeks and a fifth: busy weekdays, quiet weekends, and what the last week has beside them.
async function find(
  more: string,
  range: readonly [string, string] = ["2026-03-29", "2026-04-05"],
  silentDay = "2026-01-01",
): Promise<unknown[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `create table events as select 'a' as source, cast(event_time as date) as event_date, * from (
       select day + interval '9' hour as event_time, 'query_run' as event_name, 'ann' as actor
       from range(timestamp '2026-03-01', timestamp '2026-04-05', interval 1 day) as d(day),
         range(case when extract(isodow from day) > 5 then 10 else 100 end)
       where day <> timestamp '${silentDay}'
       union all ${more})`,
  );
  await connection.run(
    `create table window_reads as select 'a' as source, timestamp '2026-03-01' as window_start,
       timestamp '2026-04-06' as window_end, timestamp '2026-04-07' as read_at, false as is_mark, false as neutral,
       null::timestamp as server_time`,
  );
  await connection.run(
    "create table sightings as select 'a' as source, timestamp '2026-04-04' as last_seen_at",
  );
  const report = reports.find(({ name }) => name === "unusual_volumes")!;
  const given = new Map([
    ["since", range[0]],
    ["until", range[1]],
  ]);
  const { rows } = await runReport(connection, report, given);
  connection.closeSync();
  instance.closeSync();
  return rows.map(({ day, subject_kind, subject, change }) =>
    [String(day).slice(5), subject_kind, subject, change].join(" "),
  );
}

const events = (count: number, moment: string, name: string, actor: string): string =>
  `select timestamp '${moment}', '${name}', '${actor}' from range(${count})`;

const nothing = events(0, "2026-03-02", "query_run", "ann");

it("a weekend is not silence, and a weekday is not a burst", async () => {
  expect(await find(nothing)).toEqual([]);
});

it("bursts of an event or a person are ranked by their ratio to the weekday", async () => {
  const burst = [
    events(60, "2026-04-04 10:00", "query_run", "bob"),
    events(600, "2026-03-31 10:00", "query_run", "cyd"),
    events(30, "2026-03-30 10:00", "table_delete", "ann"),
  ].join(" union all ");
  expect(await find(burst)).toEqual([
    "03-31 actor cyd more",
    "04-04 actor bob more",
    "03-30 event table_delete more",
    "03-31 event query_run more",
    "04-04 event query_run more",
  ]);
});

it("a silent day is reported as fewer events, and for no person", async () => {
  expect(await find(nothing, undefined, "2026-04-01")).toEqual(["04-01 event query_run fewer"]);
});

it("unusual volumes need two weeks of the weekday", async () => {
  const early = events(900, "2026-03-09 10:00", "query_run", "ann");
  expect(await find(early, ["2026-03-08", "2026-03-15"])).toEqual([]);
  expect(await find(early.replace("09 10", "16 10"), ["2026-03-15", "2026-03-22"])).toEqual([
    "03-16 actor ann more",
    "03-16 event query_run more",
  ]);
});
