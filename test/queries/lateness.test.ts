import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { queryFile } from "../../pipeline/base/sql/statements.ts";

// Windows of an hour from 8:00, each read first five minutes after it closed, and again later. Of the first window
// equal records on different pages wait: for the third read of it, since the second one shows others. One was read
// while it was open, one was marked, one was read once, and another source has a part of one.
const hours = [8, 9, 10, 11];
const at = (hour: number, seconds = 0): string =>
  `timestamp '2026-03-02' + interval ${hour} hour + interval (${seconds}) second`;
const tables = [
  `create table read_stretches as select 's' as source, 2 as reads, *
     from (values ${hours.map((h) => `(${at(h)}, ${at(h + 1)})`).join()})
     as r(stretch_start, stretch_end)
   union all
   select 's', 1, ${at(14)}, ${at(15)}
   union all
   select 't', 2, ${at(9, 1000)}, ${at(9, 2000)}`,
  `create table reads as select 's' as source, 'closed' as state, false as is_mark, *
     from (values ${hours.map((h) => `(${at(h)}, ${at(h + 1)}, ${at(h + 1, 300)}, ${h === 8 ? 3 : "null"})`).join()},
       (${at(8)}, ${at(9)}, ${at(9, 600)}, 5), (${at(8)}, ${at(9)}, ${at(9, 900)}, 0),
       (${at(8)}, ${at(9)}, ${at(9, 1200)}, 0), (${at(14)}, ${at(15)}, ${at(15, 300)}, null))
     as w(window_start, window_end, read_at, withheld)
   union all
   select 's', 'open', false, ${at(10)}, ${at(11)}, ${at(10, 1800)}, null
   union all
   select 's', 'closed', true, ${at(11)}, ${at(12)}, ${at(12, 60)}, null
   union all
   select 't', 'closed', false, ${at(9)}, ${at(10)}, ${at(9, 2500)}, null`,
  // What brings the events is another run, whose requests were of the same form.
  `create table window_reads as
   select *, 'read ' || row_number() over () as read_id, 'first' as run_id, 'a' as form,
     false as neutral, []::varchar[] as signs
   from reads
   union all
   select 's', 'open', false, ${at(20)}, ${at(21)}, ${at(22)}, null, unnest(['same form', 'other form']), 'daily',
     unnest(['a', 'b']), false, []`,
  "create table ingest_runs as from (values ('first', 'ingest'), ('daily', 'ingest'), ('file', 'import')) as g(run_id, command)",
];

/** Event names with how many came late, and how late at most. */
async function readLateness(
  events: readonly (readonly [
    name: string,
    time: string,
    seen: string,
    run?: string,
    id?: string,
    read?: string,
  ])[],
): Promise<unknown[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const sql of tables) await connection.run(sql);
  const rows = events.map(
    ([name, time, seen, run = "daily", id = "'1'", read = "same form"]) =>
      `('${name}', ${time}, ${seen}, '${run}', ${id}, '${read}')`,
  );
  await connection.run(
    `create table event_rows as select 's' as source, event_time::date as event_date, *
       from (values ${rows.join()}) as e(event_name, event_time, first_seen_at, run_id, id, read_id)`,
  );
  const found = await queryFile(connection, "queries/status/lateness.sql", { source: "s" });
  connection.closeSync();
  instance.closeSync();
  return found.map((row) => [
    row["event_name"],
    Number(row["late_events"]),
    Number(row["max_seconds"]),
  ]);
}

test("a late event is late from the first moment of its window to the last, by the read that first closed it", async () => {
  const late = hours.flatMap((hour) =>
    [0, 1, 1800, 3599].map(
      (second) => [`at_${hour}`, at(hour, second), at(hour + 1, 300 + 60 * hour)] as const,
    ),
  );
  expect(await readLateness(late)).toEqual(
    hours.toReversed().map((hour) => [`at_${hour}`, 4, 60 * hour]),
  );
});

test("events of the first read, outside of windows, and of a file are not late", async () => {
  expect(
    await readLateness([
      ["first", at(8), at(9, 300)],
      ["before", at(8, -1), at(20)],
      ["after", at(12), at(20)],
      ["once", at(14), at(20)],
      ["file", at(8), at(20), "file"],
      ["late", at(8), at(9, 301)],
      ["late", at(8), at(9, 302)],
    ]),
  ).toEqual([["late", 2, 2]]);
});

test("events of requests of another form are late only after reads of that form, and never within one run", async () => {
  const see = (name: string, run: string, read: string) =>
    [name, at(9), at(20), run, "'1'", read] as const;
  expect(
    await readLateness([
      see("other form", "daily", "other form"),
      see("same run", "first", "same form"),
      see("late", "daily", "same form"),
    ]),
  ).toMatchObject([["late", 1, expect.any(Number)]]);
});

test("an event without an id is late after the first read of its window for which none of its equals waited", async () => {
  const see = (name: string, hour: number, seconds: number, id: string) =>
    [name, at(hour), at(hour + 1, seconds), "daily", id] as const;
  expect(
    await readLateness([
      ...[301, 600, 900].map((seconds) => see("waited", 8, seconds, "null")),
      see("behind", 8, 901, "null"),
      see("named", 8, 600, "'1'"),
      see("none_waits", 9, 301, "null"),
    ]),
  ).toEqual([
    ["behind", 1, 601],
    ["named", 1, 300],
    ["none_waits", 1, 1],
  ]);
});
