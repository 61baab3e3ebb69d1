import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { readFiles } from "./reader.ts";
import { dyingStore, eventsInLake, readId, Killed, publishThrough, listRecords } from "./scene.ts";
import { onePublication } from "./one-publication.ts";

const scene = onePublication();
const { fileOf } = scene;

describe("lake vacuum", () => {
  const old = (path: string): void => utimesSync(path, 1e9, 1e9);

  it("removes leftovers of killed runs, and publications that no reader within the retention needs", async () => {
    for (const i of [2, 3]) {
      await scene.home.load(listRecords(i, "b", 1));
      await scene.home.lake("publish");
    }
    const folder = join(scene.home.root, "_publications");
    const publications = readdirSync(folder).toSorted();
    expect(publications.length).toBeGreaterThan(3);
    const draft = join(scene.home.root, "event_rows", ".0123456789ab.tmp");
    const probe = join(scene.home.root, "_probe", "left");
    mkdirSync(dirname(probe), { recursive: true });
    for (const path of [draft, probe, join(scene.home.root, ".ba9876543210.tmp")])
      writeFileSync(path, "x");
    old(draft);
    old(probe);
    for (const name of publications.slice(0, -1)) old(join(folder, name));
    const events = await eventsInLake(scene.home.root);
    const { out } = await scene.home.lake("vacuum", "--dry-run");
    const lines = out.trim().split("\n").toSorted();
    expect(lines).toEqual([
      "_probe/left  a probe",
      ...publications.slice(0, -2).map((name) => `_publications/${name}  before a publication`),
      "event_rows/.0123456789ab.tmp  half written",
    ]);
    await scene.home.lake("vacuum");
    expect([existsSync(draft), existsSync(probe)]).toEqual([false, false]);
    expect(readdirSync(scene.home.root)).toContain(".ba9876543210.tmp");
    rmSync(join(scene.home.root, "lake.json"));
    expect((await scene.home.lake("publish")).err).toMatch(/nothing changed/);
    expect(await eventsInLake(scene.home.root)).toEqual(events);
  });

  it("does not wait for other homes: a running publish has unreferenced files", async () => {
    using _lock = takeLock(join(scene.home.home, "lake", "publish.lock"), "lake publish", 0);
    expect(await scene.home.lake("vacuum")).toMatchObject({ code: 5, out: "" });
    // Commands that only read block no one, and are not blocked.
    for (const argv of [["status"], ["publish", "--dry-run"], ["verify"]])
      expect([argv, (await scene.home.lake(...argv)).code]).toEqual([argv, 0]);
  });

  it.each([
    [["vacuum"], "removed 0 of 1 file; run it again"],
    [["verify"], "the lake was not completely verified; run it again"],
    [["status"], "nothing was changed; run it again"],
    [["publish", "--dry-run"], "nothing was changed; run it again"],
    [["publish"], "the lake has the finished tables, but no new publication; run auditlake"],
  ])("prints for lake %j its outcome, if it is interrupted", async (verb, standing) => {
    const probe = join(scene.home.root, "_probe", "left");
    mkdirSync(dirname(probe), { recursive: true });
    writeFileSync(probe, "x");
    old(probe);
    const { code, err } = await scene.home.run(["--config", scene.home.config, "lake", ...verb], {
      signal: AbortSignal.abort(),
    });
    expect([code, err]).toEqual([130, expect.stringContaining(`interrupted: ${standing}`)]);
    expect(existsSync(probe)).toBe(true);
  });

  it("removes files that were replaced or unreferenced long ago, and nothing that a reader may need", async () => {
    const replaced = fileOf("event_rows");
    const stray = join(scene.home.root, "event_rows", "stray.parquet");
    const fresh = join(scene.home.root, "event_rows", "fresh.parquet");
    for (const path of [stray, fresh]) writeFileSync(path, "x");
    await scene.home.load(listRecords(0, "late", 1));
    await scene.home.lake("publish");
    const events = await eventsInLake(scene.home.root);
    // By the time at which they were replaced, not by that of the file.
    old(replaced);
    old(stray);
    expect((await scene.home.lake("vacuum")).err).toBe("removed 1 file (1 bytes)\n");
    expect([existsSync(replaced), existsSync(stray), existsSync(fresh)]).toEqual([
      true,
      false,
      true,
    ]);
    const log = join(scene.home.root, "event_rows", "_delta_log");
    for (const entry of readdirSync(log)) old(join(log, entry));
    // Of the run before, which is the newest for readers that began when the entries were put there.
    expect((await scene.home.lake("vacuum", "--older-than", "30d", "--dry-run")).out).toBe("");
    const folder = join(scene.home.root, "_publications");
    for (const name of readdirSync(folder)) old(join(folder, name));
    const plan = await scene.home.lake("vacuum", "--older-than", "30d", "--dry-run");
    expect(plan.out.split("\n")).toEqual([
      expect.stringMatching(/^event_rows\/event_date=2026-03-01\/.*\.parquet {2}replaced$/),
      ...readdirSync(folder)
        .slice(0, -1)
        .map((name) => `_publications/${name}  before a publication`),
      "",
    ]);
    await scene.home.lake("vacuum", "--older-than", "30d");
    expect([existsSync(replaced), existsSync(fresh)]).toEqual([false, true]);
    expect(await eventsInLake(scene.home.root)).toEqual(events);
    expect((await scene.home.lake("verify")).code).toBe(0);
  });

  it("leaves unreferenced files for a week, since another home may be about to reference them", async () => {
    const { root, lake } = scene.home;
    const ages = { hours: 3, days: 3 * 24, weeks: 15 * 24 };
    const getPath = (name: string): string => join(root, "event_rows", `${name}.parquet`);
    for (const [name, hours] of Object.entries(ages)) {
      writeFileSync(getPath(name), "x");
      const at = Date.now() / 1000 - hours * 3600;
      utimesSync(getPath(name), at, at);
    }
    const all = Object.keys(ages);
    const left = (): string[] => all.filter((name) => existsSync(getPath(name)));
    // A home that publishes for the first time is in no publication yet, so that none shows whether it exists.
    for (const time of ["30d", "8d", "7d", "3d", "1h"]) {
      await lake("vacuum", "--older-than", time);
      expect([time, left()]).toEqual([time, time === "30d" ? all : ["hours", "days"]]);
    }
  });

  it("retains what the newest publication needs of a table that a killed run changed since", async () => {
    const before = await eventsInLake(scene.home.root);
    await scene.home.load(listRecords(0, "late", 1));
    const few = { tables: ["event_rows"] };
    // Files, their entry, and no publication.
    const killed = publishThrough(
      scene.home,
      dyingStore(scene.home.root, 3, "before"),
      readId(scene.home.root),
      few,
    );
    await expect(killed).rejects.toThrow(Killed);
    expect(readFiles(scene.home.root, "event_rows", 1)).toHaveLength(2);
    for (const name of readdirSync(scene.home.root, { recursive: true, encoding: "utf8" }))
      old(join(scene.home.root, name));
    await scene.home.lake("vacuum", "--older-than", "1h");
    expect(await eventsInLake(scene.home.root)).toEqual(before);
    await scene.home.lake("publish");
    expect(await eventsInLake(scene.home.root)).toHaveLength(17);
  });

  it("refuses a retention shorter than a running publish", async () => {
    expect((await scene.home.lake("vacuum", "--older-than", "10m")).err).toMatch(
      /Expected 1h or more/,
    );
  });
});
