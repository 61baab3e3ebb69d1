import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Result } from "../../../../pipeline/core/sandbox/protocol.ts";
import { runSandboxed } from "../../../../pipeline/core/sandbox/query.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { sqlTask } from "../../../support/sql-task.ts";
import { testWorld } from "../../../support/world.ts";
import { insertManyEvents, writePublished } from "../../published-file.ts";

const { path: folder, remove } = temporaryFolder();
const database = join(folder, "audit.duckdb");
beforeAll(() => writePublished(database, [insertManyEvents(5)]));
afterAll(remove);

// How many rows came, or went where `result` says.
async function queryRows(sql: string, result: Result): Promise<number> {
  const task = { ...sqlTask(database, sql), isReport: true, result };
  const limits = {
    timeoutMs: 20_000,
    timeoutName: "--timeout",
    maxRows: 100,
    maxBytes: 1e6,
    memoryLimit: "256MB",
    threads: 1,
  };
  await using answer = await runSandboxed(task, limits, testWorld({ env: { ...process.env } }));
  for await (const _ of answer.batches);
  return answer.count();
}

test("a statement that is only compiled is not run, and is refused if it does not fit", async () => {
  expect(await queryRows("select error('was run') from events", "nothing")).toBe(0);
  await expect(queryRows("select nosuch from events", "nothing")).rejects.toThrow(/nosuch/);
  await expect(queryRows("select error('was run') from events", "rows")).rejects.toThrow(/was run/);
});

test("rows that go into a file are written, and not only compiled", async () => {
  const parquet = join(folder, "rows.parquet");
  expect(await queryRows("select event_key from events", { parquet, limit: "all" })).toBe(5);
  expect(existsSync(parquet)).toBe(true);
});
