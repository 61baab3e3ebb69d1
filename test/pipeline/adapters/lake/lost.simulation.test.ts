import { copyFileSync, chmodSync, cpSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import {
  dyingStore,
  eventsInLake,
  readId,
  Killed,
  type LakeHome,
  lakeHome,
  publishThrough,
  listRecords,
} from "./scene.ts";

// If a lake has to retain pruned events, prune deletes nothing that it does not have.

let loaded: LakeHome;
let home: LakeHome;

beforeAll(async () => {
  loaded = lakeHome();
  await loaded.load([
    ...listRecords(0, "a", 8),
    ...listRecords(1, "a", 8),
    ...listRecords(2, "a", 8),
  ]);
});
beforeEach(() => {
  home = lakeHome();
  cpSync(loaded.home, home.home, { recursive: true });
  chmodSync(home.home, 0o700);
});
afterEach(() => home[Symbol.dispose]());
afterAll(() => loaded[Symbol.dispose]());

const now = (): number => Date.parse("2026-06-01T00:00:00Z");

const prune = (before: string, ...argv: string[]): Promise<Outcome> =>
  home.run(["--config", home.config, "prune", "--events", "--before", before, ...argv], { now });

const publish = async (): Promise<void> => expect((await home.lake("publish")).code).toBe(0);

/** All that the home has: its events, and its landed files. */
async function listHeld(): Promise<unknown> {
  const landed = readdirSync(join(home.home, "landing"), { recursive: true });
  return [await home.count("select count(*) from events"), landed.sort()];
}

/**
 * Expects that a prune refuses in one line and deletes nothing, and succeeds after a publish, and that the lake has
 * everything.
 */
async function expectRefusal(printed: RegExp, before = "2026-03-02"): Promise<void> {
  const all = await listHeld();
  for (const flag of ["--yes", "--dry-run"])
    expect(failureLine(await prune(before, flag), 1, [])).toMatch(printed);
  expect(await listHeld()).toEqual(all);
  const events = await home.count("select count(*) from events");
  await publish();
  expect((await prune(before, "--yes")).code).toBe(0);
  expect(await home.count("select count(*) from events")).toBeLessThan(events);
  expect(await eventsInLake(home.root)).toHaveLength(events);
}

it("refuses if nothing was ever published", () =>
  expectRefusal(
    /nothing was removed: rows to remove are missing from the lake: event_rows of 1 day since 2026-03-01, .*; run auditlake --config \S+ lake publish, then prune again/,
  ));

it("refuses if events of that time arrived after the last publish", async () => {
  await publish();
  await home.load(listRecords(0, "late", 1));
  await expectRefusal(/event_rows of 1 day since 2026-03-01/);
});

it("refuses if quarantined records of that time arrived after it", async () => {
  await publish();
  const early = (): number => Date.parse("2026-03-01T12:00:00Z");
  await home.load([{ id: "no time" }, ...listRecords(0, "a", 1)], { now: early });
  await expectRefusal(/missing from the lake: quarantine; run/);
});

it("refuses if a publish was interrupted between tables", async () => {
  await publish();
  await home.load(listRecords(0, "late", 3));
  // The claim is there already: a file, and the entry that names it.
  const broken = publishThrough(home, dyingStore(home.root, 3, "before"), readId(home.root));
  await expect(broken).rejects.toThrow(Killed);
  await expectRefusal(/missing from the lake: active_day_rows of 1 day since 2026-03-01, /);
});

it("refuses if the readers' copy, which the lake equals, is behind the database", async () => {
  await publish();
  const [copy, before] = [join(home.home, "audit.duckdb"), join(home.folder, "before.duckdb")];
  copyFileSync(copy, before);
  await home.load(listRecords(0, "late", 1));
  rmSync(copy);
  copyFileSync(before, copy);
  const { code, err } = await prune("2026-03-02", "--yes");
  expect([code, err]).toEqual([1, expect.stringContaining("event_rows of 1 day since 2026-03-01")]);
  expect(await home.count("select count(*) from events")).toBe(25);
});

it("refuses if the lake has lost a file of the pruned days, or a part of one", async () => {
  await publish();
  const day = join(home.root, "event_rows", "event_date=2026-03-01");
  const file = join(day, readdirSync(day)[0]!);
  const all = await listHeld();
  truncateSync(file, 100);
  for (const harm of [() => undefined, () => rmSync(day, { recursive: true })]) {
    harm();
    expect(failureLine(await prune("2026-03-02", "--yes"), 1, [])).toMatch(
      /missing from the lake: event_rows of 1 day since 2026-03-01; run auditlake .*lake publish --full, then/,
    );
  }
  expect(await listHeld()).toEqual(all);
  expect((await home.lake("publish", "--full")).code).toBe(0);
  expect((await prune("2026-03-02", "--yes")).code).toBe(0);
  expect(await eventsInLake(home.root)).toHaveLength(24);
});

it("refuses if the lake is unreachable or not configured, until the operator gives it up", async () => {
  await publish();
  const all = await listHeld();
  rmSync(home.root, { recursive: true });
  home.write("lake", "a file");
  expect(failureLine(await prune("2026-03-02", "--yes"), 1, [])).toMatch(
    /nothing was removed, because the contents of the lake are unknown: lake\.location .* is not a folder/,
  );
  expect(await listHeld()).toEqual(all);
  // In another folder another configuration applies: omitting it is not enough.
  const argv = ["prune", "--events", "--before", "2026-03-02"];
  for (const flag of ["--yes", "--dry-run"])
    expect(failureLine(await home.run([...argv, flag], { now }), 1, [])).toMatch(
      /to a lake that is missing from the configuration, .*nothing was removed; .*remove .*\/lake first$/,
    );
  expect(await listHeld()).toEqual(all);
  rmSync(join(home.home, "lake"), { recursive: true });
  const { code } = await home.run([...argv, "--yes"], { now });
  expect([code, await home.count("select count(*) from events")]).toEqual([0, 16]);
});

it("prunes if the lake is current for that time, regardless of newer events, also repeatedly", async () => {
  await publish();
  await home.load(listRecords(5, "new", 1));
  for (const before of ["2026-03-02", "2026-03-03", "2026-03-03"]) {
    const { code, err } = await prune(before, "--yes");
    expect([before, code, err]).toEqual([before, 0, expect.any(String)]);
  }
  // The rest of the first day looks different from the lake, and stays again.
  await publish();
  expect(await eventsInLake(home.root)).toHaveLength(25);
});

it("lets verify report pruned rows as missing here while their files exist", async () => {
  await publish();
  const rowsLine = async (): Promise<string | undefined> =>
    /^event_rows: .*$/m.exec((await home.lake("verify")).out)?.[0];
  expect(await rowsLine()).toBe("event_rows: 3 parts, 24 rows, all match");
  expect((await prune("2026-03-03", "--yes")).code).toBe(0);
  expect(await rowsLine()).toBe(
    "event_rows: 3 parts, 24 rows; 1 match, 2 by bytes alone, because the database may not have all of their rows",
  );
});
