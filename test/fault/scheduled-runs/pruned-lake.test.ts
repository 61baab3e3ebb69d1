import { chmodSync, copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatNotice, type Notice } from "../../../pipeline/base/notice/notice.ts";
import { newFolderStore } from "../../../pipeline/adapters/lake/store.ts";
import { type LakeHome, lakeHome, publishThrough } from "../../pipeline/adapters/lake/scene.ts";
import { fewOrAll } from "../length.ts";
import { compared, firstMs, ingester, playDays, makeDailyRecords, rowsInLake } from "./years.ts";

// The lake of a home that keeps few days is the lake of a home that has never pruned anything.

const plan = { dayCount: fewOrAll(9, 12), kept: 4, every: 3, events: fewOrAll(20, 30), seed: 7 };
const backedUp = plan.dayCount - 3;
const days = makeDailyRecords(plan);
const toDate = (day: number): string =>
  new Date(firstMs + day * 86_400_000).toISOString().slice(0, 10);
const now = (): number => firstMs + plan.dayCount * 86_400_000 + 3_600_000;
let home: LakeHome;
let backup: string;
let expected: Map<string, readonly string[]>;
let allEvents: number;

beforeAll(async () => {
  home = lakeHome();
  backup = join(home.folder, "backup");
  await playDays(home, plan, (day) => {
    if (day + 1 === backedUp) cpSync(home.home, backup, { recursive: true });
  });
  using twin = lakeHome();
  await twin.load(days.flat(), { now });
  await publish(twin);
  expected = new Map();
  for (const table of compared) expected.set(table, await rowsInLake(twin.root, table));
  allEvents = await twin.count("select count(*) from events");
}, 120_000);
afterAll(() => home[Symbol.dispose]());

const publish = (each: LakeHome): Promise<unknown> =>
  publishThrough(each, newFolderStore(each.root), ingester, { tables: compared });

async function inLake(): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const table of compared) found.set(table, await rowsInLake(home.root, table));
  return found;
}

describe("a home that retains four days", () => {
  it.each(compared)("has all days of %s in its lake", async (table) => {
    expect(await rowsInLake(home.root, table)).toEqual(expected.get(table));
  });

  it("has few events of earlier days, and the simulation included something of each kind", async () => {
    const here = await home.count("select count(*) from events");
    expect(here).toBeLessThan(allEvents * 0.75);
    for (const table of ["job_rows", "permission_span_rows", "id_conflict_rows", "quarantine"])
      expect([table, expected.get(table)!.length]).not.toEqual([table, 0]);
  });

  it("describes its lake the same after everything is aggregated and rebuilt", async () => {
    const sums = "select * from sightings union all by name select * from active_days order by all";
    const before = await home.rows(sums);
    const { code, err } = await home.run(["--config", home.config, "rebuild"], { now });
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(await home.rows(sums)).toEqual(before);
    await publish(home);
    expect(await inLake()).toEqual(expected);
  });

  it("counts events once that come again on any day, also in a rebuild", async () => {
    const later = (): number => now() + 3_600_000;
    expect((await home.load(days.flat(), { now: later })).code).toBe(6);
    expect(await home.count("select count(*) from events")).toBe(allEvents);
    await publish(home);
    expect(await inLake()).toEqual(expected);
    const { code } = await home.run(["--config", home.config, "rebuild"], { now: later });
    expect(code).toBe(0);
    await publish(home);
    expect(await inLake()).toEqual(expected);
  });
});

describe("a home that was restored from an older copy", () => {
  const publishFull = async (): Promise<string[]> => {
    const warnings: string[] = [];
    const warn = (notice: Notice): void => void warnings.push(formatNotice(notice));
    const flags = { tables: compared, isFull: true, warn };
    await publishThrough(home, newFolderStore(home.root), ingester, flags);
    return warnings;
  };

  it("is refused, and accepted without loss after the days are re-read", async () => {
    rmSync(home.home, { recursive: true });
    cpSync(backup, home.home, { recursive: true });
    chmodSync(home.home, 0o700);
    await expect(publish(home)).rejects.toThrow("is newer than this database");
    expect(await inLake()).toEqual(expected);
    await home.load(days.slice(backedUp).flat(), { now });
    await expect(publish(home)).rejects.toThrow("is newer than this database");
    expect(await publishFull()).toEqual([expect.stringMatching(/loses no event and no run$/)]);
    expect(await inLake()).toEqual(expected);
  });

  it("is accepted if only the database was restored, and landing knows of a prune", async () => {
    const prune = ["prune", "--events", "--before", toDate(backedUp - 1), "--yes"];
    const config = ["--config", home.config];
    expect((await home.run([...config, ...prune], { now })).code).toBe(0);
    for (const name of ["warehouse.duckdb", "audit.duckdb"]) {
      rmSync(join(home.home, name));
      copyFileSync(join(backup, name), join(home.home, name));
    }
    await expect(publish(home)).rejects.toThrow("is newer than this database");
    await home.load(days.slice(backedUp).flat(), { now });
    expect(
      await home.count(`select count(*) from events where event_time < '${toDate(backedUp - 5)}'`),
    ).toBeLessThan(await home.count("select count(*) from events"));
    expect(await publishFull()).toEqual([expect.stringMatching(/loses no event and no run$/)]);
    expect(await inLake()).toEqual(expected);
  });
});
