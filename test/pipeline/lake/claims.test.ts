import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { standingOf } from "../../../pipeline/lake/claims.ts";

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
