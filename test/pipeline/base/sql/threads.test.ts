import { truncateSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  openInMemory,
  openPublished,
  openWarehouse,
} from "../../../../pipeline/core/store/open.ts";
import { useThreads } from "../../../../pipeline/base/sql/instance.ts";
import { putWarehouse } from "../../../support/empty-warehouse.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { runPlanned } from "../../../../pipeline/core/store/loading/insert.ts";

async function readThreads(connection: DuckDBConnection): Promise<number> {
  const reader = await connection.runAndReadAll("select current_setting('threads')");
  return Number(reader.getRows()[0]?.[0]);
}

it.each([
  ["as many as the database was opened with", 3],
  ["one for each processor", undefined],
])("a load uses one thread, and all for very many records: %s", async (_which, threads) => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads });
  const { connection } = database;
  const all = await readThreads(connection);
  expect(all).toBe(threads ?? all);
  await useThreads(connection, "one");
  const seen: number[] = [];
  const look = async (): Promise<void> => void seen.push(await readThreads(connection));
  for (const records of [1, 30_000, 600_000, 1]) await runPlanned(connection, records, look);
  expect(seen).toEqual([1, 1, all, 1]);
});

it("the number of threads is not set again if it is right, since that takes as long as loading some hundred records", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 2 });
  const { connection } = database;
  await useThreads(connection, "one");
  const run = vi.spyOn(connection, "run");
  for (const records of [1, 30_000, 1])
    await runPlanned(connection, records, () => Promise.resolve());
  expect(run.mock.calls.filter(([sql]) => sql.startsWith("set threads"))).toEqual([]);
});

describe("the threads of a file", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => void (folder = temporaryFolder()));
  afterEach(() => folder.remove());

  // The space after the blocks of a file is free.
  async function readFile(bytes: number): Promise<string> {
    await putWarehouse(folder.path);
    const path = resolveHome(folder.path).warehouse;
    truncateSync(path, bytes);
    return path;
  }
  const limits = { memoryLimit: "200MB", threads: 3 };
  const warehouseAt = (path: string) =>
    openWarehouse(path, folder.path, limits, { nowMs: 0, print: () => undefined });

  it.each([
    [32e6, 1],
    [32e6 + 1, 3],
  ])("of %d bytes are %d, for readers and writers", async (bytes, threads) => {
    const path = await readFile(bytes);
    const open = [() => openPublished(path, limits), () => warehouseAt(path)];
    for (const database of open) {
      await using opened = await database();
      expect(await readThreads(opened.connection)).toBe(threads);
    }
  });

  it("are all for many records into a small one, and then one again", async () => {
    await using database = await warehouseAt(join(folder.path, "new.duckdb"));
    const { connection } = database;
    const seen: number[] = [await readThreads(connection)];
    const look = async (): Promise<void> => void seen.push(await readThreads(connection));
    for (const records of [600_000, 1]) await runPlanned(connection, records, look);
    expect(seen).toEqual([1, 3, 1]);
  });
});
