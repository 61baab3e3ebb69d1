import { readdirSync, readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { killAtChange } from "../kill-moment.ts";
import { fewOrAll } from "../length.ts";
import type { Row } from "../../support/rows.ts";
import { startCli, type Started } from "../process.ts";
import { commits, readEvents, oldHome, type OldHome } from "./homes.ts";

// Homes that earlier versions made: the first run that writes rebuilds their database, and keeps the old one.

const buildPublish = ({ old }: OldHome) => startCli(["--home", old.home, "publish"], {});

/** What an undisturbed run makes of a home of 6992e1b, and in how many changes of files. */
async function madeOnce(): Promise<{ changes: number; events: readonly Row[] }> {
  using homes = oldHome("6992e1b");
  const publish = (): Started => buildPublish(homes);
  const { changes } = await killAtChange(homes.old.home, publish, Number.POSITIVE_INFINITY);
  return { changes, events: await readEvents(homes.old) };
}
let making: ReturnType<typeof madeOnce> | undefined;
const make = (): ReturnType<typeof madeOnce> => (making ??= madeOnce());

const keptIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.includes(".version-1-"));

// The first version has no prune; the nearest one is rebuilt in other cases here, too.
it.each(fewOrAll([commits[0]], commits))(
  "a home of %s becomes what its complete landing gives, also if pages were pruned",
  async (commit) => {
    using homes = oldHome(commit);
    const { old, whole } = homes;
    const made = await old.run(["publish"]);
    expect([made.code, made.err]).toEqual([0, made.err]);
    expect(made.err).toMatch(/^rebuilt .*; reads from landing: \d+, from the old database: [09]$/m);
    expect((await whole.run(["rebuild"])).code).toBe(0);
    expect(await readEvents(old)).toEqual(await readEvents(whole));
    const windows = "select window_start, state, fetched from ingest_windows order by all";
    expect(await old.rows(windows)).toEqual(await whole.rows(windows));
    const quarantine = "select quarantine_key, reason, record_text from quarantine order by all";
    expect(await old.rows(quarantine)).toEqual(await whole.rows(quarantine));
    const again = await old.run(["publish"]);
    expect([again.code, again.err.includes("rebuilt ")]).toEqual([0, false]);
    const rebuilt = await old.run(["rebuild"]);
    expect([rebuilt.code, rebuilt.err]).toEqual([0, expect.stringContaining("same as before")]);
  },
);

it("an import upgrades first, then loads", async () => {
  using homes = oldHome("6992e1b");
  const { code, err } = await homes.old.load([{ time: 1767225600, event_name: "job_kill" }]);
  expect([code, err]).toEqual([0, expect.stringContaining("1 new")]);
  expect(await homes.old.count("select count(*) from events")).toBe(866);
});

it("readers print in one line what to do, and change nothing", async () => {
  using homes = oldHome("061c7fc");
  const { warehouse, published } = resolveHome(homes.old.home);
  const bytes = [warehouse, published].map((path) => readFileSync(path));
  const verbs = [
    ["prune", "--before", "2026-01-01", "--yes"],
    ["sql", "select 1"],
    ["report", "run", "denials_by_day"],
    ["status"],
    ["catalog", "coverage"],
  ];
  for (const argv of verbs) {
    const { code, err } = await homes.old.run(argv);
    expect([argv, code]).toEqual([argv, 1]);
    expect(err.match(/^error: .*$/gm)).toEqual([
      "error: the database was created by an earlier auditlake with other rules of identity; run auditlake publish, which rebuilds it from the stored pages and retains the old one",
    ]);
  }
  expect([warehouse, published].map((path) => readFileSync(path))).toEqual(bytes);
});

it("the old database stays until prune --old-store, which asks for confirmation", async () => {
  using homes = oldHome("061c7fc");
  const { old } = homes;
  const { warehouse } = resolveHome(old.home);
  const bytes = readFileSync(warehouse);
  expect((await old.run(["prune", "--old-store", "--yes"])).err).toBe(
    "no old database to remove\n",
  );
  await old.run(["publish"]);
  const [kept] = keptIn(old.home);
  expect(readFileSync(`${old.home}/${kept}`).equals(bytes)).toBe(true);
  expect((await old.run(["status"])).out).toMatch(
    /^ {2}old store +5\.5\d? MB, auditlake prune --old-store removes it$/m,
  );
  const dryRun = await old.run(["prune", "--old-store", "--dry-run"]);
  expect([dryRun.code, dryRun.out]).toEqual([0, `would remove ${old.home}/${kept} (5.52 MB)\n`]);
  const refused = await old.run(["prune", "--old-store"]);
  expect([refused.code, keptIn(old.home)]).toEqual([2, [kept]]);
  const both = await old.run(["prune", "--old-store", "--before", "1d", "--yes"]);
  expect([both.code, both.err, keptIn(old.home)]).toEqual([
    2,
    "error: --old-store cannot be combined with --before; prune twice\n",
    [kept],
  ]);
  expect((await old.run(["prune", "--old-store", "--yes"])).code).toBe(0);
  expect(keptIn(old.home)).toEqual([]);
  expect((await old.run(["status"])).out).not.toContain("old store");
});

it("prune prints what it needs", async () => {
  using homes = oldHome("061c7fc");
  const { code, err } = await homes.old.run(["prune", "--yes"]);
  expect([code, err]).toEqual([
    2,
    "error: prune needs --before TIME, such as 365d, or --old-store\n",
  ]);
});

it("a missing old database is rebuilt together with its published copy", async () => {
  using homes = oldHome("6992e1b");
  const { old } = homes;
  const { warehouse } = resolveHome(old.home);
  rmSync(warehouse);
  const { code, err } = await old.run(["rebuild"]);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("9 reads taken from the previous database"),
  ]);
  expect(await readEvents(old)).toEqual((await make()).events);
  expect(keptIn(old.home)).toHaveLength(1);
});

/** A home whose upgrade was killed at a change; at an earlier one if a busy machine reported it after the end. */
async function killedHome(change: number): Promise<OldHome> {
  for (let at = change; at >= 1; at = Math.floor(at / 2)) {
    const homes = oldHome("6992e1b");
    const { ended } = await killAtChange(homes.old.home, () => buildPublish(homes), at);
    if (ended.isKilled) return homes;
    homes[Symbol.dispose]();
  }
  throw new Error(`no run was killed at change ${change} or before`);
}

it(
  "an upgrade that is killed at any moment changes nothing, and the next run repeats it",
  { timeout: 120_000 },
  async () => {
    const { changes, events } = await make();
    for (const share of fewOrAll([0.6], [0.05, 0.2, 0.4, 0.6, 0.8, 0.95])) {
      using homes = await killedHome(Math.ceil(changes * share));
      const next = await homes.old.run(["publish"]);
      expect([share, next.code, next.err]).toEqual([share, 0, next.err]);
      expect([share, await readEvents(homes.old)]).toEqual([share, events]);
      expect(keptIn(homes.old.home)).toHaveLength(1);
    }
  },
);
