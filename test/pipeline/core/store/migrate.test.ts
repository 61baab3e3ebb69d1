import { expect, it } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { hashCatalog, readVersion } from "../../../../pipeline/core/store/catalog.ts";
import { migrate } from "../../../../pipeline/core/store/migrate.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { hasTable } from "../../../../pipeline/base/sql/instance.ts";

it("the catalog of a database is reported: new, unchanged, and after a change", async () => {
  await using database = await openInMemory({ memoryLimit: "500MB", threads: 1 });
  const { connection } = database;
  const own = { sql: readAsset("schemas/generated/catalog.sql"), extra: null };
  const changed = { sql: `${own.sql}\n-- one more`, extra: null };
  const versions = [own, own, changed, changed].map(hashCatalog);
  expect(new Set(versions).size).toBe(2);
  for (const [i, seed] of [own, own, changed, changed].entries()) {
    const { catalogVersion } = await migrate(connection, () => Promise.resolve(seed));
    expect([catalogVersion, await readVersion(connection)]).toEqual([versions[i], versions[i]]);
  }
});

// So they were left by the days on which two changes of the schema were still being written.
it("a database with schema changes from before all their tables is migrated", async () => {
  await using database = await openInMemory({ memoryLimit: "500MB", threads: 1 });
  const { connection } = database;
  const seed = { sql: readAsset("schemas/generated/catalog.sql"), extra: null };
  await migrate(connection, () => Promise.resolve(seed));
  await connection.run("drop table catalog_extra; drop table fold_due");
  await connection.run("alter table window_reads add column unsure bigint");
  await connection.run("delete from schema_migrations where migration like '024%'");
  await migrate(connection, () => Promise.resolve(seed));
  expect(await hasTable(connection, "catalog_extra")).toBe(true);
  expect(await hasTable(connection, "fold_due")).toBe(true);
  await expect(connection.run("select unsure from window_reads")).rejects.toThrow("unsure");
});
