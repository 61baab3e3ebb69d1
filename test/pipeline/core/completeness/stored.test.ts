import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { countStoredEvents } from "../../../../pipeline/core/completeness/reading.ts";

it("the events of each source are counted from its first to its last, with others in between", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`create table event_rows as
    select * from (values
      ('b', timestamp '2026-01-02 00:00:00'), ('a', timestamp '2026-01-01 00:00:00'),
      ('b', timestamp '2026-01-05 00:00:00'), ('a', timestamp '2026-01-09 00:00:00'),
      ('b', timestamp '2026-01-03 00:00:00')
    ) as t(source, event_time)`);
  const day = (n: number): string => `2026-01-0${n}T00:00:00Z`;
  expect([...(await countStoredEvents(connection, ["b", "a", "c"]))]).toEqual([
    ["a", { events: 2, first_event: day(1), last_event: day(9) }],
    ["b", { events: 3, first_event: day(2), last_event: day(5) }],
  ]);
  expect([...(await countStoredEvents(connection, ["only"]))]).toEqual([
    ["only", { events: 5, first_event: day(1), last_event: day(9) }],
  ]);
  expect((await countStoredEvents(connection, [])).size).toBe(0);
  connection.closeSync();
  instance.closeSync();
});
