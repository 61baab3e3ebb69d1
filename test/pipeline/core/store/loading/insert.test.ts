import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { runPlanned } from "../../../../../pipeline/core/store/loading/insert.ts";
import { openInMemory } from "../../../../../pipeline/core/store/open.ts";

async function disabledIn(connection: DuckDBConnection): Promise<unknown> {
  const reader = await connection.runAndReadAll("select current_setting('disabled_optimizers')");
  return reader.getRows()[0]?.[0];
}

const statements = [
  ["that succeeds", "select 1", undefined],
  ["that fails", "select error('no such record')", /no such record/],
] as const;
const amounts = [1, 30_000, 600_000];

test.each(statements)(
  "the statement after one %s is planned with every optimizer, for any number of records",
  async (_, sql, fault) => {
    await using database = await openInMemory({ memoryLimit: "200MB", threads: 2 });
    const { connection } = database;
    for (const records of amounts) {
      let during: unknown;
      const done = runPlanned(connection, records, async () => {
        during = await disabledIn(connection);
        await connection.run(sql);
      });
      await (fault === undefined ? done : expect(done).rejects.toThrow(fault));
      expect(during).toMatch(/join_order/);
      expect(await disabledIn(connection), `${records} records`).toBe("");
    }
  },
);
