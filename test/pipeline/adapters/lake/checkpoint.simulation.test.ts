import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolderStore } from "../../../../pipeline/adapters/lake/store.ts";
import { readSnapshot } from "../../../../pipeline/adapters/lake/snapshot.ts";
import { listUnnamedFiles, listUnneededFiles } from "../../../../pipeline/adapters/lake/vacuum.ts";
import {
  writeCheckpoint,
  readCheckpoints,
  filesAfterCheckpoint,
  readFiles,
  forgetBeforeCheckpoint as forget,
  readVersions,
} from "./reader.ts";
import { eventsAtHome, eventsInLake, readId, publishThrough } from "./scene.ts";
import { few, getLog, publicationCount, severalPublications } from "./several-publications.ts";

// Publications of one lake, each with one of two states of a home in turn, so that each changes some days.

const scene = severalPublications();
const { at, fresh } = scene;
const getHint = (lake: string): string => join(getLog(lake), "_last_checkpoint");

describe("the log of a table", () => {
  it("has a checkpoint of every ten versions, equal to the entries before it", async () => {
    expect(readCheckpoints(scene.root, "event_rows")).toEqual([9, 19]);
    expect(JSON.parse(readFileSync(getHint(scene.root), "utf8"))).toMatchObject({ version: 19 });
    for (const version of [9, 15, 19, publicationCount - 1]) {
      const found = await filesAfterCheckpoint(scene.root, "event_rows", version);
      expect(found.toSorted()).toEqual(readFiles(scene.root, "event_rows", version));
    }
    // Of a week: a reader that vacuums by the log needs them.
    const gone = await writeCheckpoint(scene.root, "event_rows", 19, "remove.path");
    const live = await writeCheckpoint(scene.root, "event_rows", 19, "add.path");
    expect(new Set([...gone, ...live]).size).toBe(1 + allAdded(19));
  });

  it("is read and continued from its newest checkpoint, without the earlier entries", async () => {
    const lake = fresh("forgotten");
    const whole = await readSnapshot(newFolderStore(lake), "event_rows");
    forget(lake, "event_rows");
    expect(await readSnapshot(newFolderStore(lake), "event_rows")).toEqual(whole);
    const again = await publishThrough(
      at(publicationCount - 1),
      newFolderStore(lake),
      readId(lake),
      few,
    );
    expect(again.isChanged).toBe(false);
    for (let number = publicationCount; number < publicationCount + 8; number++)
      await publishThrough(at(number), newFolderStore(lake), readId(lake), few);
    expect(readCheckpoints(lake, "event_rows")).toEqual([9, 19, 29]);
    expect(await eventsInLake(lake)).toEqual(await eventsAtHome(at(publicationCount + 7)));
  });

  it("lists exactly the files that were replaced, also long before a checkpoint", async () => {
    const store = newFolderStore(fresh("named"));
    const whole = await readSnapshot(store, "event_rows");
    const stray = "event_rows/event_date=2026-03-01/stray.parquet";
    // As a checkpoint of some weeks later says it.
    for (const snapshot of [whole, { ...whole, removed: new Map() }]) {
      expect(await listUnnamedFiles(store, "event_rows", snapshot)).toEqual([]);
      await store.put(stray, Buffer.from("x"));
      const found = await listUnnamedFiles(store, "event_rows", snapshot);
      expect(found.map(({ name }) => name)).toEqual([stray]);
      await store.remove(stray);
    }
  });

  it("continues without entries for the publication, and refuses a log with missing entries after it", async () => {
    const lake = fresh("unpublished");
    forget(lake, "event_rows");
    const published = join(lake, "_publications");
    for (const path of [published, join(lake, "lake.json")]) rmSync(path, { recursive: true });
    const id = readId(scene.root);
    const next = await publishThrough(at(publicationCount), newFolderStore(lake), id, few);
    expect(next.isChanged).toBe(true);
    const events = await eventsInLake(lake);
    // An old publication: if another program removed the entries since, and made a checkpoint, that is unknown.
    const newest = readdirSync(published).toSorted().at(-1)!;
    edit(join(published, newest), /("event_rows": \{\s*"version": )\d+/, "$15");
    const versions = readVersions(lake);
    await expect(
      publishThrough(at(publicationCount + 1), newFolderStore(lake), id, few),
    ).rejects.toThrow(
      /^table event_rows of the lake \(version 6\) has no entry in the log; nothing was changed/,
    );
    expect([readVersions(lake), await eventsInLake(lake)]).toEqual([versions, events]);
  });

  it.each([
    ["no hint", (path: string) => rmSync(path)],
    ["a hint that is none", (path: string) => writeFileSync(path, "{")],
    [
      "a hint to a checkpoint that is gone",
      (path: string) => writeFileSync(path, '{"version":12}'),
    ],
    ["a hint of before", (path: string) => writeFileSync(path, '{"version":9,"size":1}')],
  ])("is read with %s", async (name, harm) => {
    const lake = fresh(`hint ${name}`);
    forget(lake, "event_rows");
    harm(getHint(lake));
    const { version, files } = await readSnapshot(newFolderStore(lake), "event_rows");
    expect([version, files.size]).toEqual([publicationCount - 1, 2]);
  });

  it("reports an unreadable checkpoint in one line, and writes nothing", async () => {
    const lake = fresh("broken");
    const path = join(getLog(lake), `${"19".padStart(20, "0")}.checkpoint.parquet`);
    writeFileSync(path, "x");
    const versions = readVersions(lake);
    await expect(
      publishThrough(at(publicationCount), newFolderStore(lake), readId(lake), few),
    ).rejects.toThrow(
      /^the checkpoint event_rows\/_delta_log\/0+19\.checkpoint\.parquet of the lake cannot be read; replace/,
    );
    expect(readVersions(lake)).toEqual(versions);
  });
});

function edit(path: string, from: RegExp, to: string): void {
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(from);
  writeFileSync(path, text.replace(from, to));
}

describe("lake vacuum", () => {
  const age = (lake: string, before: number): void => {
    for (const name of readdirSync(lake, { recursive: true, encoding: "utf8" })) {
      const number = Number(/(\d{20})\.(?:json|checkpoint\.parquet)$/.exec(name)?.[1] ?? -1);
      // Publications are numbered from 1; the first one only claims the sources.
      const version = name.startsWith("_publications") ? number - 2 : number;
      if (version < before) utimesSync(join(lake, name), 1e9, 1e9);
    }
  };

  it("removes the log entries that precede the checkpoint for readers of that time", async () => {
    const lake = fresh("vacuumed");
    age(lake, 17);
    const store = newFolderStore(lake);
    const found = await listUnneededFiles(store, 3_600_000);
    for (const { name } of found) await store.remove(name);
    // A reader that started at version 16 continues, from checkpoint 9.
    const log = readdirSync(getLog(lake)).toSorted();
    expect([log[0], log[1]]).toEqual([
      `${"9".padStart(20, "0")}.checkpoint.parquet`,
      `${"9".padStart(20, "0")}.json`,
    ]);
    for (let version = 16; version < publicationCount; version++)
      for (const path of await filesAfterCheckpoint(lake, "event_rows", version))
        expect([version, existsSync(join(lake, "event_rows", path))]).toEqual([version, true]);
    const gone = await filesAfterCheckpoint(lake, "event_rows", 15);
    expect(gone.filter((path) => !existsSync(join(lake, "event_rows", path)))).not.toEqual([]);
    const again = await publishThrough(
      at(publicationCount),
      newFolderStore(lake),
      readId(lake),
      few,
    );
    expect([again.isChanged, await eventsInLake(lake)]).toEqual([
      true,
      await eventsAtHome(at(publicationCount)),
    ]);
    expect(new Set(found.map(({ why }) => why))).toEqual(
      new Set(["before a checkpoint", "replaced", "before a publication"]),
    );
  });
});

function allAdded(version: number): number {
  const added = new Set<string>();
  for (let v = 0; v <= version; v++)
    for (const path of readFiles(scene.root, "event_rows", v)) added.add(path);
  return added.size - 1;
}
