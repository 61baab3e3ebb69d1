import { DuckDBInstance } from "@duckdb/node-api";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveHome, type Home } from "../../../../pipeline/base/home/layout.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { listTombstones, writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { findPresent, listMovedFiles } from "../../../../pipeline/core/rebuild/present.ts";
import { listRecordedPrunes } from "../../../../pipeline/core/store/prune.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

// What a rebuild finds of the database before: the writer's file, the readers' one where that is damaged, or nothing.

let test: TestHome;
let home: Home;
beforeEach(async () => {
  test = await homeWithWarehouse();
  home = resolveHome(test.home);
  mkdirSync(home.staging);
});
afterEach(() => test[Symbol.dispose]());

/** Finds the present store; what it prints is beside it. */
async function find() {
  const world = testWorld();
  const settings = { home, config: configSchema.parse({}), flags: {} } as unknown as Settings;
  const what = await findPresent(settings, world);
  return { ...what, err: world.err() };
}

async function inFile(path: string, statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const sql of [...statements, "checkpoint"]) await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

const word = "noticed-only-by-a-full-read";
const more = `create table more as select '${word}' || i as text from range(3) as t(i)`;

/** Damages a block that is not needed to open the file. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.write("X", bytes.indexOf(word));
  writeFileSync(path, bytes);
}

// With the columns that are read of one of version 1.
const former = [
  "create table schema_migrations (migration varchar not null)",
  "insert into schema_migrations values ('001_ledger.sql')",
  "create table window_reads (read_id varchar, read_at timestamp)",
  "insert into window_reads values ('r1', '2026-03-01 01:02:03.004')",
  more,
];

it("the writer's file is used, complete, with its reads", async () => {
  await test.load([{ time: 1767225600, event_name: "job_kill" }]);
  const { present, isDamaged, err } = await find();
  expect([present?.path, isDamaged, err]).toEqual([home.warehouse, false, ""]);
  expect(present?.digest).toMatch(/^\d+/);
  expect([...present!.reads.values()]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d /)]);
  expect(listMovedFiles({ present, isDamaged }, home)).toEqual([]);
});

it("the readers' file is used if the writer's is damaged, and neither if both are", async () => {
  await inFile(home.warehouse, [more]);
  copyFileSync(home.warehouse, home.published);
  chmodSync(home.published, 0o440);
  damage(home.warehouse);
  const first = await find();
  const copy = join(home.staging, "present.duckdb");
  expect([first.present?.path, first.isDamaged]).toEqual([copy, true]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(first.err).toMatch(/^warning: \S+warehouse\.duckdb is damaged: .+\n$/);
  expect(listMovedFiles(first, home)).toEqual([{ path: home.warehouse, as: "damaged" }]);
  chmodSync(home.published, 0o640);
  damage(home.published);
  const second = await find();
  expect([second.present, second.isDamaged]).toEqual([undefined, true]);
  expect(second.err).toMatch(/ is damaged: .*\nwarning: \S+audit\.duckdb is damaged, too: .*\n$/);
  rmSync(home.published);
  expect(await find()).toMatchObject({ present: undefined, isDamaged: true, err: first.err });
});

it("a file that does not open is not used, and one that cannot be checked is unknown", async () => {
  writeFileSync(home.warehouse, "no database ".repeat(2000));
  expect(await find()).toMatchObject({
    present: undefined,
    isDamaged: true,
    err: expect.stringMatching(/ is damaged: .*not a valid DuckDB/),
  });
  rmSync(home.warehouse);
  mkdirSync(home.warehouse);
  await expect(find()).rejects.toThrow(/cannot open .*warehouse/);
});

it("interrupted prunes are listed, and those that version 1 knew are written to landing", async () => {
  const prune = { version: 1, prune_id: "p1", pruned_at: "2026-03-01 00:00:00" } as const;
  const what = { before: "2026-01-02 00:00:00", source: null, with_events: false } as const;
  await writeTombstone(home.landing, { ...prune, ...what, events: 1, quarantined: 0, reads: [] });
  await find();
  await inWarehouse(test, async (connection) => {
    expect((await listRecordedPrunes(connection)).map(({ pruneId }) => pruneId)).toEqual(["p1"]);
  });
  rmSync(home.warehouse);
  await inFile(home.warehouse, [
    ...former,
    "create table prunes (prune_id varchar, pruned_at timestamp, before_time timestamp, source varchar, with_events boolean, events bigint, quarantined bigint)",
    "create table pruned_reads (prune_id varchar, read_id varchar)",
    "insert into prunes values ('p2', '2026-03-02', '2026-01-02', 'a', true, 2, 1)",
  ]);
  await find();
  expect(listTombstones(home.landing)).toMatchObject([
    { prune_id: "p1" },
    { prune_id: "p2", source: "a", with_events: true, events: 2, quarantined: 1, reads: [] },
  ]);
});

it("nothing is used without files, and the readers' file if it is the only one", async () => {
  copyFileSync(home.warehouse, home.published);
  rmSync(home.warehouse);
  const only = await find();
  expect([only.present?.path, only.isDamaged, only.err]).toEqual([
    join(home.staging, "present.duckdb"),
    false,
    "",
  ]);
  rmSync(home.published);
  expect(await find()).toEqual({ present: undefined, isDamaged: false, err: "" });
  expect(existsSync(home.warehouse)).toBe(false);
});

it("a file of version 1 is retained, and a damaged one is not recognized as such", async () => {
  rmSync(home.warehouse);
  await inFile(home.warehouse, former);
  const whole = await find();
  const reads = new Map([["r1", "2026-03-01 01:02:03.004"]]);
  expect(whole).toEqual({
    present: { path: home.warehouse, digest: undefined, reads, ids: new Map() },
    isDamaged: false,
    err: "",
  });
  expect(listMovedFiles(whole, home)).toEqual([{ path: home.warehouse, as: "version-1" }]);
  damage(home.warehouse);
  const damaged = await find();
  expect(damaged).toMatchObject({ present: undefined, isDamaged: true });
  expect(damaged.err).toMatch(/^warning: \S+warehouse\.duckdb is damaged: .*\n$/);
});
