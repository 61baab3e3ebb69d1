import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { checkLanding } from "../../../../pipeline/cli/doctor/landing.ts";
import { resolveHome, type Home } from "../../../../pipeline/base/home/layout.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import {
  type Manifest,
  getManifestPath,
  readManifests,
} from "../../../../pipeline/core/landing/manifests.ts";
import { getPagePath } from "../../../../pipeline/core/landing/store.ts";
import { type Tombstone, writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { readCopy, homeWithWarehouse, type TestHome } from "../../../support/home.ts";

// What doctor reports about the landing of a home with two files, by its state.

let made: TestHome;
let test: TestHome;
let home: Home;
let first: Manifest;
let second: Manifest;
beforeAll(async () => {
  made = await homeWithWarehouse();
  for (const day of [1, 2])
    await made.load([{ time: Date.UTC(2026, 0, day) / 1000, event_name: "job_kill" }]);
});
afterAll(() => made[Symbol.dispose]());
beforeEach(() => {
  test = readCopy(made);
  home = resolveHome(test.home);
  [first, second] = readManifests(home.landing).manifests as [Manifest, Manifest];
});
afterEach(() => test[Symbol.dispose]());

async function said(deep = false): Promise<string[]> {
  await using published = await openPublished(home.published, { memoryLimit: "200MB", threads: 1 });
  const lines: string[] = [];
  for await (const { level, check, text } of checkLanding(home, published, deep))
    lines.push(`${level} ${check}: ${text}`);
  return lines;
}

const pagesAreThere = "ok landing: 2 reads, all pages present";
const isLoaded = "ok pending: every read is loaded";
const isWhole = "ok rebuild: the complete database can be rebuilt from landing";

const buildPruned = (n: number, before: string, reads: readonly Manifest[]): Tombstone => ({
  version: 1,
  prune_id: `p${n}`,
  pruned_at: `2026-03-0${n} 00:00:00`,
  before,
  source: null,
  with_events: false,
  events: 0,
  quarantined: 0,
  reads: [...reads],
});

it("landing is reported as complete", async () => {
  expect(await said()).toEqual([pagesAreThere, isLoaded, isWhole]);
  expect(await said(true)).toEqual([
    `${pagesAreThere} and intact`,
    isLoaded,
    isWhole,
    "ok manifests: all match the ledger",
  ]);
});

it("landing is reported as empty", async () => {
  const lines: string[] = [];
  const nowhere = resolveHome(join(test.folder, "nowhere"));
  for await (const { text } of checkLanding(nowhere, undefined, true)) lines.push(text);
  expect(lines).toEqual([
    "no pages stored yet",
    "every read is loaded",
    "the complete database can be rebuilt from landing",
  ]);
});

it("landing is reported with an unreadable manifest and its read", async () => {
  writeFileSync(getManifestPath(home.landing, first.read_id), "cut");
  expect(await said()).toEqual([
    `fail landing: 1 manifest cannot be read, for example that of read ${first.read_id}; restore them from a backup; the next ingest moves them aside, and rebuild --carry-over works without them`,
    isLoaded,
    isWhole,
  ]);
});

it("landing is reported with missing pages, and with damaged ones if pages are checked", async () => {
  rmSync(getPagePath(home.landing, first.pages[0]!));
  writeFileSync(getPagePath(home.landing, second.pages[0]!), "cut");
  const missing = `fail landing: 1 page of 2 reads missing, for example ${first.pages[0]!.sha256}; restore them from a backup, or re-read their windows`;
  expect(await said()).toEqual([missing, isLoaded, isWhole]);
  const deep = await said(true);
  expect(deep.slice(0, 2)).toEqual([
    missing,
    expect.stringMatching(/^fail landing: .*cannot be read.*: re-import its file$/),
  ]);
  const window = { window_start: "2026-01-01 00:00:00.000", window_end: "2026-01-02 00:00:00.000" };
  writeFileSync(
    getManifestPath(home.landing, second.read_id),
    JSON.stringify({ ...second, ...window, source: "a" }),
  );
  expect((await said(true))[1]).toMatch(
    /: auditlake ingest --source a --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z$/,
  );
});

it("landing is reported with reads that wait for the load, or are in progress", async () => {
  const path = getManifestPath(home.landing, "later");
  writeFileSync(path, JSON.stringify({ ...first, read_id: "later" }));
  const waits =
    "warn pending: 1 read stored but not in the published file; run auditlake ingest to load and publish them";
  expect((await said())[1]).toBe(waits);
  using _lock = takeLock(home.lock, "ingest", 0);
  expect((await said())[1]).toBe("ok pending: 1 read being loaded");
});

it("landing is reported with the time from which it gives the database, and what only the database has", async () => {
  rmSync(getManifestPath(home.landing, second.read_id));
  expect((await said())[2]).toBe(
    `warn rebuild: 1 read without a manifest, for example ${second.read_id}: only the database has them; keep a copy of it, rebuild needs --carry-over`,
  );
  await writeTombstone(home.landing, buildPruned(1, "2026-01-03 00:00:00.000", [second]));
  await writeTombstone(home.landing, buildPruned(2, "2026-01-02 00:00:00.000", []));
  expect(await said()).toEqual([
    "ok landing: 1 read, all pages present",
    isLoaded,
    "ok rebuild: the database can be rebuilt from landing from 2026-01-03T00:00:00Z on; only the database has the events of 1 pruned read, keep a copy of it",
  ]);
  await writeTombstone(
    home.landing,
    buildPruned(3, "2026-01-01 00:00:00.000", [{ ...second, read_id: "unknown" }]),
  );
  expect((await said())[2]).toBe(
    "fail rebuild: the events of 1 pruned read are in no database; restore a copy of warehouse.duckdb that has them",
  );
  const lines: string[] = [];
  for await (const { level, check } of checkLanding(home, undefined, false))
    lines.push(`${level} ${check}`);
  // The content of a missing database is unknown.
  expect(lines).toEqual(["ok landing", "warn pending", "ok rebuild"]);
});

it("landing is reported with reads that were pruned together with their events", async () => {
  const window = { window_start: "2026-01-01 00:00:00.000", window_end: "2026-01-02 00:00:00.000" };
  const gone = { ...first, ...window, read_id: "gone" };
  rmSync(getManifestPath(home.landing, second.read_id));
  const withEvents = { ...buildPruned(2, "2026-01-02 00:00:00.000", []), with_events: true };
  // Its pages had been pruned before, and a rebuilt database does not know it.
  await writeTombstone(home.landing, buildPruned(1, "2026-01-02 00:00:00.000", [gone]));
  const last = async (): Promise<string> => (await said())[2]!;
  expect(await last()).toMatch(/^warn rebuild|^fail rebuild/);
  await writeTombstone(home.landing, { ...withEvents, reads: [second] });
  expect(await last()).toBe(
    "ok rebuild: the database can be rebuilt from landing from 2026-01-02T00:00:00Z on; events pruned before that were removed, too",
  );
  for (const other of [
    { source: "other" },
    { before: "2026-01-01 23:00:00.000" },
    { keeps_folds: true as const },
  ]) {
    await writeTombstone(home.landing, { ...withEvents, reads: [second], ...other });
    expect(await last()).toMatch(/^fail rebuild: the events of 1 pruned read are in no database/);
  }
});

it("landing is reported with pages that a running prune removed before their manifest", async () => {
  await writeTombstone(home.landing, buildPruned(1, "2026-01-02 00:00:00.000", [first]));
  rmSync(getPagePath(home.landing, first.pages[0]!));
  expect((await said(true))[0]).toBe("ok landing: 1 read, all pages present and intact");
});

it("files that were moved aside and a readers' file changed by another program are reported", async () => {
  mkdirSync(join(home.landing, "damaged"));
  writeFileSync(join(home.landing, "damaged", `${first.read_id}.json.20260101T000000Z`), "cut");
  const backups = ["warehouse.duckdb.wal.corrupt-1", "warehouse.duckdb.damaged-1"];
  for (const name of backups) writeFileSync(join(home.root, name), "");
  const aside =
    "moved aside, for example warehouse.duckdb.damaged-1; remove those that you no longer need";
  expect((await said()).slice(3)).toEqual([`warn set_aside: 3 damaged files ${aside}`]);
  rmSync(getManifestPath(home.landing, first.read_id));
  expect((await said(true)).at(-1)).toBe("ok manifests: all match the ledger");
});

it("unreadable records of prunes are reported", async () => {
  mkdirSync(join(home.landing, "pruned"));
  writeFileSync(join(home.landing, "pruned", "p1.json"), "cut");
  expect(await said()).toEqual([
    expect.stringMatching(/^fail landing: .*p1\.json.* cannot be read/),
  ]);
});
