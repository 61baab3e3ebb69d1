import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolderStore } from "../../../pipeline/adapters/lake/store.ts";
import {
  dyingStore,
  eventsAtHome,
  eventsInLake,
  readId,
  Killed,
  lakeHome,
  publishThrough,
  listRecords,
} from "../../pipeline/adapters/lake/scene.ts";
import { twoPublications } from "../../pipeline/adapters/lake/two-publications.ts";

const scene = twoPublications();
const { fresh, publish } = scene;

describe("a publication that is killed", () => {
  it("at any change leaves readers one complete publication, and can be repeated", async () => {
    // Three tables have all the steps that thirty have.
    const few = { tables: ["event_rows", "job_rows", "sighting_rows"] };
    const seen = { old: 0, new: 0 };
    let step = 1;
    for (; ; step++) {
      const root = fresh(`killed-${step}`);
      const when = step % 2 === 0 ? "after" : "before";
      const dying = publishThrough(scene.home, dyingStore(root, step, when), readId(root), few);
      const died = await dying.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (died === undefined) break;
      expect(died).toBeInstanceOf(Killed);
      const found = await eventsInLake(root);
      const isOld = found!.length === scene.firstEvents.length;
      expect(found).toEqual(isOld ? scene.firstEvents : scene.allEvents);
      seen[isOld ? "old" : "new"] += 1;
      const again = await publish(root, few);
      expect([step, await eventsInLake(root)]).toEqual([step, scene.allEvents]);
      expect(again.publication).toBeGreaterThan(1);
      rmSync(root, { recursive: true });
    }
    // Files, commits and the two files of the publication: each was the last step in some case.
    expect(step).toBeGreaterThan(6);
    expect(seen.old).toBeGreaterThan(4);
  });
});

describe("two ingesters", () => {
  it("publish into one lake at the same time, each its own sources", async () => {
    const root = fresh("many");
    const other = lakeHome(root);
    await other.load([]);
    const file = other.write(
      "more.ndjson",
      listRecords(1, "z")
        .map((r) => `${JSON.stringify(r)}\n`)
        .join(""),
    );
    await other.run(["--source", "other", "import", file]);
    await Promise.all([
      publish(root),
      publishThrough(other, newFolderStore(root), "feedfeedfeedfeed"),
    ]);
    const all = [...scene.allEvents, ...(await eventsAtHome(other))].sort();
    expect((await eventsInLake(root))!.toSorted()).toEqual(all);
    // What one takes out of its rows leaves the other's alone.
    await publish(root, { isFull: true });
    expect((await eventsInLake(root))!.toSorted()).toEqual(all);
    other[Symbol.dispose]();
  });
});
