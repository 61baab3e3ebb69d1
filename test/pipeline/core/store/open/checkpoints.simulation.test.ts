import { join } from "node:path";
import { expect, it } from "vitest";
import { openWarehouse } from "../../../../../pipeline/core/store/open.ts";
import { temporaryFolder } from "../../../../support/load.ts";

// A checkpoint writes the last row group of each table again, so that one after every window costs more than its rows.
it.each(["500MB", "128MB"])(
  "several commits stay in the write-ahead log, to be written once, with %s",
  async (memoryLimit) => {
    const { path, remove } = temporaryFolder();
    try {
      const aside = { nowMs: 0, print: () => undefined };
      const file = join(path, "warehouse.duckdb");
      const limits = { memoryLimit, threads: 1 };
      await using database = await openWarehouse(file, join(path, "tmp"), limits, aside);
      const { connection } = database;
      await connection.run("create table texts (n bigint, text varchar)");
      for (let window = 0; window < 5; window++)
        await connection.run(
          "insert into texts select i, repeat(md5(i::varchar), 40) from range(10000) as r(i)",
        );
      const reader = await connection.runAndReadAll(
        "select wal_size from pragma_database_size() where database_name = 'warehouse'",
      );
      const [[size]] = reader.getRows() as [[string]];
      expect(size).toMatch(/^[3-9]\d\.\d MiB$/);
      await connection.run("checkpoint");
      const counted = await connection.runAndReadAll("select count(distinct text) from texts");
      expect(Number(counted.getRows()[0]![0])).toBe(10_000);
    } finally {
      remove();
    }
  },
);
