import { expect, it } from "vitest";
import { readAsset } from "../../../pipeline/home/assets.ts";
import { catalogVersionOf, versionOf } from "../../../pipeline/store/catalog.ts";
import { migrate } from "../../../pipeline/store/migrate.ts";
import { openInMemory } from "../../../pipeline/store/open.ts";

it("says by which catalog a database is filled: new, as it is, and after a change", async () => {
  await using database = await openInMemory({ memoryLimit: "500MB", threads: 1 });
  const { connection } = database;
  const own = { sql: readAsset("schemas/generated/catalog.sql"), extra: null };
  const changed = { sql: `${own.sql}\n-- one more`, extra: null };
  const versions = [own, own, changed, changed].map(catalogVersionOf);
  expect(new Set(versions).size).toBe(2);
  for (const [i, seed] of [own, own, changed, changed].entries()) {
    const { catalogVersion } = await migrate(connection, () => Promise.resolve(seed));
    expect([catalogVersion, await versionOf(connection)]).toEqual([versions[i], versions[i]]);
  }
});
