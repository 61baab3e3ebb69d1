import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestHome } from "../../support/home.ts";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import { checkpointsOf } from "../../pipeline/lake/reader.ts";
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
  withoutEvents,
} from "../../pipeline/lake/scene.ts";

// Nights of one lake, each of them one of two states of a home in turn, so that each changes some days.

const few = { tables: ["event_rows"] };
const nights = 23;
let one: LakeHome;
let other: TestHome;
let root: string;
const at = (night: number): TestHome => (night % 2 === 0 ? one : other);

beforeAll(async () => {
  one = lakeHome();
  await one.load([...recordsOf(0, "a", 4), ...recordsOf(1, "a", 4)]);
  other = await withoutEvents(one, "event_time < '2026-03-01 00:02:00'");
  root = join(one.folder, "nights");
  for (let night = 0; night < nights; night++)
    await publishThrough(at(night), folderStore(root), "feedfeedfeedfeed", few);
}, 60_000);
afterAll(() => {
  for (const home of [one, other]) home[Symbol.dispose]();
});

const fresh = (name: string): string => {
  const copy = join(one.folder, name);
  cpSync(root, copy, { recursive: true });
  return copy;
};
const logOf = (lake: string): string => join(lake, "event_rows", "_delta_log");
describe("a publisher that dies", () => {
  it("before or after its checkpoint leaves a table that is read, and the next one makes up for it", async () => {
    let isMade = 0;
    const begun = fresh("killed");
    for (let night = nights; night < 29; night++)
      await publishThrough(at(night), folderStore(begun), idOf(begun), few);
    for (let step = 1; ; step++) {
      const lake = `${begun}-${step}`;
      cpSync(begun, lake, { recursive: true });
      const when = step % 2 === 0 ? "after" : "before";
      const dying = publishThrough(at(29), dyingStore(lake, step, when), idOf(lake), few);
      const died = await dying.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (died === undefined) break;
      expect(died).toBeInstanceOf(Killed);
      for (let night = 29; night < 31; night++)
        await publishThrough(at(night), folderStore(lake), idOf(lake), few);
      expect([step, await eventsInLake(lake)]).toEqual([step, await eventsAtHome(at(30))]);
      const last = checkpointsOf(lake, "event_rows").at(-1)!;
      expect([step, last]).toEqual([step, expect.toSatisfy((v: number) => v >= 29)]);
      isMade += existsSync(join(logOf(lake), `${"29".padStart(20, "0")}.checkpoint.parquet`))
        ? 1
        : 0;
      rmSync(lake, { recursive: true });
    }
    expect(isMade).toBeGreaterThan(2);
  });
});
