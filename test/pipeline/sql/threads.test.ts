import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import { openInMemory } from "../../../pipeline/store/open.ts";
import { useThreads } from "../../../pipeline/sql/threads.ts";
import { planned } from "../../../pipeline/store/loading/insert.ts";

async function threadsOf(connection: DuckDBConnection): Promise<number> {
  const reader = await connection.runAndReadAll("select current_setting('threads')");
  return Number(reader.getRows()[0]?.[0]);
}

it.each([
  ["as many as the database was opened with", 3],
  ["one for each processor", undefined],
])("are one for a load, and all for very many records: %s", async (_which, threads) => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads });
  const { connection } = database;
  const all = await threadsOf(connection);
  expect(all).toBe(threads ?? all);
  await useThreads(connection, "one");
  const seen: number[] = [];
  const look = async (): Promise<void> => void seen.push(await threadsOf(connection));
  for (const records of [1, 30_000, 600_000, 1]) await planned(connection, records, look);
  expect(seen).toEqual([1, 1, all, 1]);
});

it("are not set again where they are as wanted: that takes as long as to load some hundred records", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 2 });
  const { connection } = database;
  await useThreads(connection, "one");
  const run = vi.spyOn(connection, "run");
  for (const records of [1, 30_000, 1]) await planned(connection, records, () => Promise.resolve());
  expect(run.mock.calls.filter(([sql]) => sql.startsWith("set threads"))).toEqual([]);
});
