import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { reports, runReport } from "./run.ts";

// Each of these has 30 sign-ins on each of the first five days of March; the report is asked for the sixth and seventh.
type Log = {
  /** Further days with as many. */
  readonly days?: readonly number[];
  /** When anybody was last seen, also behind the range. */
  readonly seen?: string;
  /** Windows, from and to, and when the service was asked. */
  readonly windows?: readonly (readonly [from: string, to: string, askedAt?: string])[];
  readonly isNeutral?: boolean;
  readonly isMark?: boolean;
  /** The silent days that are told. */
  readonly told: readonly number[];
};
const whole = [["03-01", "03-08"]] as const;
const logs: Readonly<Record<string, Log>> = {
  "a file with a silent day": { days: [7], seen: "03-07 12:00", told: [6] },
  "a file that goes on behind the range": { seen: "03-09 12:00", told: [6, 7] },
  "a file that ends": { seen: "03-05 12:00", told: [] },
  "read whole": { windows: whole, told: [6, 7] },
  "read in two windows": {
    windows: [
      ["03-01", "03-06 12:00"],
      ["03-06 12:00", "03-08"],
    ],
    told: [6, 7],
  },
  "with an hour that nobody read": {
    days: [7],
    windows: [
      ["03-01", "03-06 12:00"],
      ["03-06 13:00", "03-08"],
    ],
    told: [],
  },
  "read up to now": { windows: [["03-01", "03-08", "03-07 18:00"]], told: [6] },
  "that the service did not have": { windows: whole, isNeutral: true, told: [] },
  "that somebody marked": { windows: whole, isMark: true, told: [] },
  "a file before its first window": { windows: [["03-07", "03-08"]], told: [7] },
};

const at = (text: string): string =>
  `timestamp '2026-${text.includes(":") ? text : `${text} 00:00`}'`;

function tablesOf(): string[] {
  const names = Object.keys(logs);
  const days = names.flatMap((name) =>
    [1, 2, 3, 4, 5, ...(logs[name]!.days ?? [])].map(
      (day) => `('${name}', date '2026-03-0${day}')`,
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
       'sign_in' as event_name from (values ${days.join(", ")}) as d(source, event_date), range(30)`,
    `create table window_reads as select *, null::timestamp as server_time from (values ${windows.join(", ")})
       as w(source, window_start, window_end, read_at, is_mark, neutral)`,
    `create table sightings as select * from (values ${seen.join(", ")}) as s(source, last_seen_at)`,
  ];
}

it("tells of days on which nothing came where they were read, and of none that nobody read", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const sql of tablesOf()) await connection.run(sql);
  const report = reports.find(({ name }) => name === "unusual_volumes")!;
  const range = new Map([
    ["since", "2026-03-06"],
    ["until", "2026-03-08"],
  ]);
  const { rows } = await runReport(connection, report, range);
  const told = Object.keys(logs).map((name) => [
    name,
    rows
      .filter((row) => row["source"] === name && row["change"] === "fewer" && row["events"] === "0")
      .map((row) => Number(String(row["day"]).slice(-2))),
  ]);
  expect(told).toEqual(Object.entries(logs).map(([name, log]) => [name, log.told]));
  expect(rows).toHaveLength(Object.values(logs).flatMap((log) => log.told).length);
  connection.closeSync();
  instance.closeSync();
});
