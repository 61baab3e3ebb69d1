import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolderStore } from "../../../pipeline/adapters/lake/store.ts";
import { readCheckpoints } from "../../pipeline/adapters/lake/reader.ts";
import {
  dyingStore,
  eventsAtHome,
  eventsInLake,
  readId,
  Killed,
  publishThrough,
} from "../../pipeline/adapters/lake/scene.ts";
import {
  few,
  getLog,
  publicationCount,
  severalPublications,
} from "../../pipeline/adapters/lake/several-publications.ts";

// Publications of one lake, each with one of two states of a home in turn, so that each changes some days.

const scene = severalPublications();
const { at, fresh } = scene;

describe("a publication that is killed", () => {
  it("before or after its checkpoint leaves a readable table, and the next one writes the checkpoint", async () => {
    let isMade = 0;
    const copy = fresh("killed");
    for (let number = publicationCount; number < 29; number++)
      await publishThrough(at(number), newFolderStore(copy), readId(copy), few);
    for (let step = 1; ; step++) {
      const lake = `${copy}-${step}`;
      cpSync(copy, lake, { recursive: true });
      const when = step % 2 === 0 ? "after" : "before";
      const dying = publishThrough(at(29), dyingStore(lake, step, when), readId(lake), few);
      const died = await dying.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (died === undefined) break;
      expect(died).toBeInstanceOf(Killed);
      for (let number = 29; number < 31; number++)
        await publishThrough(at(number), newFolderStore(lake), readId(lake), few);
      expect([step, await eventsInLake(lake)]).toEqual([step, await eventsAtHome(at(30))]);
      const last = readCheckpoints(lake, "event_rows").at(-1)!;
      expect([step, last]).toEqual([step, expect.toSatisfy((v: number) => v >= 29)]);
      isMade += existsSync(join(getLog(lake), `${"29".padStart(20, "0")}.checkpoint.parquet`))
        ? 1
        : 0;
      rmSync(lake, { recursive: true });
    }
    expect(isMade).toBeGreaterThan(2);
  });
});
