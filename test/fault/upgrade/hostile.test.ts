import { DuckDBInstance } from "@duckdb/node-api";
import { renameSync, rmSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { catalog } from "../../../schemas/generated/catalog.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { hostileRecords } from "../../queries/hostile-records.ts";
import { readEvents } from "./homes.ts";
import { fewOrAll } from "../length.ts";

// The pages of records of many shapes are deleted. A store of version 1 with the same rows has the keys, contents and
// numbers of those pages, though its own keys prove nothing.

const toFormer = [
  "create table schema_migrations (migration varchar not null)",
  "insert into schema_migrations values ('001_ledger.sql'), ('003_events.sql'), ('006_prunes.sql')",
  "create table event_rows as select * exclude (event_key, page_number, record_number), uuid() as event_key, page_number as page from v2.event_rows",
  "create table window_reads as select read_id, run_id, source, window_start, window_end, read_at, server_time, 'open' as state, pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest from v2.window_reads",
  ...["ingest_pages", "ingest_runs", "quarantine", "prunes", "pruned_reads"].map(
    (table) => `create table ${table} as from v2.${table}`,
  ),
];

async function makeFormer(home: TestHome): Promise<void> {
  const { warehouse, published } = resolveHome(home.home);
  const made = `${home.folder}/former.duckdb`;
  const instance = await DuckDBInstance.create(made);
  const connection = await instance.connect();
  await connection.run(`attach '${warehouse}' as v2 (read_only)`);
  for (const statement of toFormer) await connection.run(statement);
  await connection.run("detach v2");
  await connection.run("checkpoint");
  connection.closeSync();
  instance.closeSync();
  renameSync(made, warehouse);
  rmSync(published, { force: true });
}

const fitting = { text: "a", integer: 7, number: 1.25, boolean: true, time: 1767225600 };

// Each field with a value of its type, then with one that fits none.
const fieldRecords = Object.entries(catalog.fields).flatMap(([field, { type }], i) =>
  [fitting[type], '{"odd":[1]}'].map((value) => ({
    event_name: "job_kill",
    id: `f${i}`,
    [field]: value,
    time: 1767225600,
  })),
);

it.each(fewOrAll([1], [1, 2, 3, 4]))("seed %i: pruned records keep their keys", async (seed) => {
  using home = newHome();
  for (const part of [0, 1, 2])
    expect((await home.load(hostileRecords(seed * 10 + part, 400))).code).toBeLessThan(7);
  expect((await home.load(fieldRecords)).err).toContain(`${fieldRecords.length} records`);
  const prune = ["prune", "--before", "2026-06-01", "--yes"];
  expect((await home.run(prune)).err).toContain("pruned 4 reads");
  const before = await readEvents(home);
  expect(before.length).toBeGreaterThan(1000);
  await makeFormer(home);
  const { code, err } = await home.run(["publish"]);
  expect([code, err]).toEqual([0, expect.stringContaining("from the old database: 4")]);
  expect(await readEvents(home)).toEqual(before);
});

// A home as large as this takes a quarter of a minute.
it.skipIf(fewOrAll(true, false))(
  "an upgrade reports insufficient memory and changes nothing, and succeeds with more",
  { timeout: 120_000 },
  async () => {
    using home = newHome();
    const config = home.write("auditlake.json", '{"memory_limit":"120MB","threads":1}');
    const text = "x".repeat(400);
    const records = Array.from({ length: 200_000 }, (_, i) => ({
      time: 1767225600 + (i % 80_000),
      event_name: "job_kill",
      id: `e${i}`,
      query_text: `${i} ${text}`,
    }));
    expect((await home.load(records)).code).toBe(0);
    expect((await home.run(["prune", "--before", "2026-06-01", "--yes"])).code).toBe(0);
    await makeFormer(home);
    const { warehouse } = resolveHome(home.home);
    const before = statSync(warehouse);
    const little = await home.run(["--config", config, "publish"]);
    expect([little.code, little.err]).toEqual([1, expect.stringContaining("memory_limit")]);
    expect(statSync(warehouse).size).toBe(before.size);
    const { code, err } = await home.run(["publish"]);
    expect([code, err]).toEqual([0, expect.stringContaining("from the old database: 1")]);
    expect(await home.count("select count(*) from events")).toBe(200_000);
  },
);
