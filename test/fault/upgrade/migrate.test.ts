import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAssetPath, readAsset } from "../../../pipeline/base/home/assets.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { fewOrAll } from "../length.ts";

// A database of an earlier version: brought up to date by the next run, its rows kept, its views valid.

const migrations = readdirSync(getAssetPath("schemas/tables")).sort();
const event = { time: 1767225600, event_name: "job_kill", id: "new" };

/** Makes the warehouse of a version that knew only the first so many migrations, with a row and an old view. */
async function makeOld(home: TestHome, known: readonly string[]): Promise<void> {
  mkdirSync(home.home, { mode: 0o700 });
  const instance = await DuckDBInstance.create(join(home.home, "warehouse.duckdb"), {
    storage_compatibility_version: "v1.5.0",
  });
  const connection = await instance.connect();
  await connection.run("create table schema_migrations (migration varchar not null)");
  for (const file of known) {
    await connection.run(readAsset(`schemas/tables/${file}`));
    await connection.run("insert into schema_migrations values ($file)", { file });
  }
  if (known.includes("003_events.sql")) {
    await connection.run(
      "insert into event_rows by name select uuid() as event_key, 'default' as source, timestamp '2026-01-01' as window_start, 'r' as run_id, timestamp '2026-01-02' as first_seen_at, 'w' as read_id, 0 as page_number, 0 as record_number, timestamp '2026-01-01' as event_time, date '2026-01-01' as event_date, 'unknown_event' as catalog_match, 'old' as id",
    );
    // A view that had other columns then.
    await connection.run("create view events as select id as old_name, 1 as gone from event_rows");
  }
  connection.closeSync();
  instance.closeSync();
}

// From nothing, from a ledger alone, from the first events, and from the version before.
const known = fewOrAll(
  [0, 1, migrations.indexOf("003_events.sql") + 1, migrations.length - 1],
  migrations.map((_, n) => n),
);

describe.each(known)("a database that knew %i migrations", (n) => {
  it("is brought up to date by the next load", async () => {
    using home = newHome();
    await makeOld(home, migrations.slice(0, n));
    expect((await home.load([event])).code).toBe(0);
    const held = await home.rows("select id from events order by id");
    expect(held.map((row) => row["id"])).toEqual(
      migrations.indexOf("003_events.sql") < n ? ["new", "old"] : ["new"],
    );
    expect(await home.rows("select migration from schema_migrations order by migration")).toEqual(
      migrations.map((migration) => ({ migration })),
    );
    const views = await home.rows("select view_name from duckdb_views() where not internal");
    expect(views.length).toBeGreaterThan(8);
    for (const { view_name: view } of views)
      expect(
        await home.count(`select count(*) from ${String(view)}`),
        String(view),
      ).toBeGreaterThan(-1);
  });
});

it("shows the same columns of the same types after any load", async () => {
  const columns = "select column_name, data_type from duckdb_columns() where table_name = 'events'";
  using bare = newHome();
  using full = newHome();
  await bare.load([{ time: 1767225600, event_name: "x" }]);
  await full.load([{ ...event, user_id: 7, shade: "red", task_duration: 1.5, is_scheduled: true }]);
  const shown = await full.rows(columns);
  expect(shown.length).toBeGreaterThan(60);
  expect(await bare.rows(columns)).toEqual(shown);
});
