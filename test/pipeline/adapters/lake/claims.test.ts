import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { entryOf, refuseTaken, standingOf } from "../../../../pipeline/adapters/lake/claims.ts";

// The ingester that published last, and what the database knows of it.
const published = {
  sources: ["a"],
  published_at: "2026-03-04T23:30:00.000Z",
  tool_version: "1.0.0",
  newest_read: "r2",
};

it("keeps what the lake has up to the day after its last one, where the database is older than what was committed", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    "create table window_reads as from (values ('r1', timestamp '2026-03-03'), ('r2', timestamp '2026-03-04')) as r(read_id, read_at)",
  );
  const standing = (last?: Partial<typeof published> & { kept_before?: string }): unknown =>
    standingOf(connection, last && { ...published, ...last }, { reads: [], lastDay: undefined });
  const newest = { newest_read: "r2", restored: undefined };
  const from = (before: string, isFormer = false): unknown => ({
    ...newest,
    restored: { before, isFormer },
  });
  expect(await standing()).toEqual(newest);
  expect(await standing({})).toEqual(newest);
  expect(await standing({ newest_read: "r1" })).toEqual(newest);
  // The day of that night, too, may have rows that this database lacks.
  expect(await standing({ newest_read: "r3" })).toEqual(from("2026-03-05"));
  const once = { kept_before: "2026-02-01" };
  expect(await standing(once)).toEqual(from("2026-02-01", true));
  expect(await standing({ ...once, newest_read: "r3" })).toEqual(from("2026-03-05", true));
  const after = (reads: string[], lastDay: string): unknown =>
    standingOf(connection, published, { reads, lastDay });
  expect(await after(["r1", "r2"], "2026-03-09")).toEqual(newest);
  expect(await after(["r3"], "2026-03-01")).toEqual(from("2026-03-05"));
  expect(await after(["r3"], "2026-03-09")).toEqual(from("2026-03-10"));
  connection.closeSync();
  instance.closeSync();
});

it("takes a source of one ingester alone, and says which other one has it and since when", () => {
  const ingesters = {
    east: { ...published, sources: ["a", "b"] },
    west: { ...published, sources: ["c"], published_at: null },
  };
  const taken = (own: string, ...sources: string[]) => {
    return () => refuseTaken(ingesters, own, sources);
  };
  for (const free of [taken("east", "a", "b"), taken("west", "c", "d"), taken("north", "d")])
    expect(free).not.toThrow();
  expect(taken("west", "c", "b")).toThrow(
    /^source b is in the lake already, from ingester east \(last at 2026-03-04T23:30:00.000Z\); /,
  );
  expect(taken("east", "a", "c")).toThrow(/^source c .* from ingester west; nothing was put there/);
  expect(entryOf(["a"], Date.parse("2026-03-04T23:30:00Z"), { newest_read: "r2" })).toEqual({
    ...published,
    tool_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});
