import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { newEntry, refuseTaken, readClaim } from "../../../../pipeline/adapters/lake/claims.ts";

// The ingester that published last, and what the database knows of it.
const published = {
  sources: ["a"],
  published_at: "2026-03-04T23:30:00.000Z",
  tool_version: "1.0.0",
  newest_read: "r2",
};

it("a database knows its reads, also pruned or undone ones", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `create table window_reads as from (values ('r1', timestamp '2026-03-03'), ('r2', timestamp '2026-03-04')) as r(read_id, read_at);
    create table pruned_reads as select 'r3' as read_id;
    create table undone_reads as select 'r4' as read_id;`,
  );
  const standing = (...reads: string[]): Promise<unknown> => readClaim(connection, reads);
  const known = { newestRead: "r2", isKnown: true };
  expect(await standing()).toEqual(known);
  expect(await standing("r2", "r1", "r3", "r4")).toEqual(known);
  expect(await standing("r2", "r5")).toEqual({ ...known, isKnown: false });
  await connection.run("delete from window_reads");
  expect(await standing()).toEqual({ newestRead: null, isKnown: true });
  connection.closeSync();
  instance.closeSync();
});

it("a lake assigns a source to one ingester, and names the other one and its time", () => {
  const ingesters = {
    east: { ...published, sources: ["a", "b"] },
    west: { ...published, sources: ["c"], published_at: null },
  };
  const take = (own: string, ...sources: string[]) => {
    return () => refuseTaken(ingesters, own, sources);
  };
  for (const free of [take("east", "a", "b"), take("west", "c", "d"), take("north", "d")])
    expect(free).not.toThrow();
  expect(take("west", "c", "b")).toThrow(
    /^source b is already in the lake, from ingester east \(last at 2026-03-04T23:30:00.000Z\); /,
  );
  expect(take("east", "a", "c")).toThrow(/^source c .* from ingester west; nothing was published/);
  expect(newEntry(["a"], Date.parse("2026-03-04T23:30:00Z"), "r2")).toEqual({
    ...published,
    tool_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});
