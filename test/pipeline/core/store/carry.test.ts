import { expect, test } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { carrySums, findStoredRead } from "../../../../pipeline/core/store/carry.ts";
import { migrate } from "../../../../pipeline/core/store/migrate.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";

const sql = readAsset("schemas/generated/catalog.sql");
const tables = "pruned_sighting_rows pruned_active_day_rows window_reads ingest_runs".split(" ");

/** An empty database beside an attached one that a statement fills. */
async function withOld(statement: string): ReturnType<typeof openInMemory> {
  const database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  await migrate(connection, () => Promise.resolve({ sql, extra: null }));
  await connection.run("attach ':memory:' as old");
  for (const table of tables) await connection.run(`create table old.${table} as from ${table}`);
  await connection.run(statement);
  return database;
}

const sighting = `insert into old.pruned_sighting_rows
  values ('s', 'user', '1', '2026-03-01 10:00:00', '2026-03-01 12:00:00', 3)`;
const day = `insert into old.pruned_active_day_rows
  values ('s', 1, '2026-03-01', '2026-03-01 10:00:00', '2026-03-01 12:00:00', 3)`;

test.each([
  ["sightings", sighting],
  ["sightings and days", `${sighting}; ${day}`],
])("sums of pruned events of %s are carried into the new database", async (_, statement) => {
  await using database = await withOld(statement);
  await carrySums(database.connection);
  const reader = await database.connection.runAndReadAll(
    "select subject, events::integer as events from sightings where subject_kind = 'user'",
  );
  expect(reader.getRows()).toEqual([["1", 3]]);
});

test("a read without its run is carried over, and moves no checkpoint", async () => {
  await using database = await withOld(
    `insert into old.window_reads by name
     select 'r' as read_id, 'run' as run_id, 's' as source, timestamp '2026-03-01' as window_start,
       timestamp '2026-03-02' as window_end, timestamp '2026-03-02 01:00:00' as read_at`,
  );
  const read = await findStoredRead(database.connection, "r");
  expect(read?.facts).toMatchObject({ runId: "run", windowMs: 86_400_000 });
  expect(read?.checkpointFrom).toBeUndefined();
  expect(await findStoredRead(database.connection, "other")).toBeUndefined();
});
