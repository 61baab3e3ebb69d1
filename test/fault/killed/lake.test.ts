import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import {
  dyingStore,
  eventsAtHome,
  eventsInLake,
  idOf,
  Killed,
  type LakeHome,
  lakeHome,
  publishThrough,
  recordsOf,
} from "../../pipeline/lake/scene.ts";

let home: LakeHome;
let firstNight: string[];
let secondNight: string[];

beforeAll(async () => {
  home = lakeHome();
  await home.load([...recordsOf(0, "a"), ...recordsOf(1, "a"), ...recordsOf(2, "a")]);
  expect(await home.lake("publish")).toMatchObject({ code: 0, out: "" });
  firstNight = await eventsAtHome(home);
  cpSync(home.root, `${home.root}-1`, { recursive: true });
  // A new day, and one event that is late for the first.
  await home.load([...recordsOf(3, "b"), ...recordsOf(0, "late", 1)]);
  secondNight = await eventsAtHome(home);
});
afterAll(() => home[Symbol.dispose]());

const fresh = (name: string): string => {
  const root = join(home.folder, name);
  cpSync(`${home.root}-1`, root, { recursive: true });
  return root;
};
describe("a publisher that dies", () => {
  it("at any change that it makes leaves readers a whole night, and repeats", async () => {
    // Three tables have all the steps that thirty have.
    const few = { tables: ["event_rows", "job_rows", "sighting_rows"] };
    const seen = { old: 0, new: 0 };
    let step = 1;
    for (; ; step++) {
      const root = fresh(`killed-${step}`);
      const when = step % 2 === 0 ? "after" : "before";
      const died = await publishThrough(home, dyingStore(root, step, when), idOf(root), few).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (died === undefined) break;
      expect(died).toBeInstanceOf(Killed);
      const found = await eventsInLake(root);
      const isOld = found!.length === firstNight.length;
      expect(found).toEqual(isOld ? firstNight : secondNight);
      seen[isOld ? "old" : "new"] += 1;
      const again = await publishThrough(home, folderStore(root), idOf(root), few);
      expect([step, await eventsInLake(root)]).toEqual([step, secondNight]);
      expect(again.publication).toBeGreaterThan(1);
      rmSync(root, { recursive: true });
    }
    // Files, commits and the two files of the night: each of them was the last at some time.
    expect(step).toBeGreaterThan(6);
    expect(seen.old).toBeGreaterThan(4);
  });
});

describe("two ingesters", () => {
  it("publish into one lake at once, each its own sources", async () => {
    const root = fresh("many");
    const other = lakeHome(root);
    await other.load([]);
    const file = other.write(
      "more.ndjson",
      recordsOf(1, "z")
        .map((r) => `${JSON.stringify(r)}\n`)
        .join(""),
    );
    await other.run(["--source", "other", "import", file]);
    await Promise.all([
      publishThrough(home, folderStore(root), idOf(root)),
      publishThrough(other, folderStore(root), "feedfeedfeedfeed"),
    ]);
    const all = [...secondNight, ...(await eventsAtHome(other))].sort();
    expect((await eventsInLake(root))!.toSorted()).toEqual(all);
    // What one takes out of its rows leaves the other's alone.
    await publishThrough(home, folderStore(root), idOf(root), { isFull: true });
    expect((await eventsInLake(root))!.toSorted()).toEqual(all);
    other[Symbol.dispose]();
  });
});
