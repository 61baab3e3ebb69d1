import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { newFolderStore } from "../../../../pipeline/adapters/lake/store.ts";
import type { TestHome } from "../../../support/home.ts";
import { type LakeHome, lakeHome, publishThrough, listRecords, withoutEvents } from "./scene.ts";

/** The only published table, so that publications are short. */
export const few = { tables: ["event_rows"] };
/** The number of publications in the lake: its newest checkpoint is of version 19. */
export const publicationCount = 23;

/** A lake after these publications, and the home that publishes. */
export type SeveralPublications = {
  readonly root: string;
  /** The home in a run: one of two states in turn, so that each run changes some days. */
  readonly at: (number: number) => TestHome;
  /** A copy of the lake. */
  readonly fresh: (name: string) => string;
};

/** Publishes them once for a test file. */
export function severalPublications(): SeveralPublications {
  let one: LakeHome;
  let other: TestHome;
  const getRoot = (): string => join(one.folder, "lake-copy");
  const at = (number: number): TestHome => (number % 2 === 0 ? one : other);
  beforeAll(async () => {
    one = lakeHome();
    await one.load([...listRecords(0, "a", 4), ...listRecords(1, "a", 4)]);
    other = await withoutEvents(one, "event_time < '2026-03-01 00:02:00'");
    for (let number = 0; number < publicationCount; number++)
      await publishThrough(at(number), newFolderStore(getRoot()), "feedfeedfeedfeed", few);
  }, 60_000);
  afterAll(() => {
    for (const home of [one, other]) home[Symbol.dispose]();
  });
  return {
    get root() {
      return getRoot();
    },
    at,
    fresh: (name) => {
      const copy = join(one.folder, name);
      cpSync(getRoot(), copy, { recursive: true });
      return copy;
    },
  };
}

/** The folder of the log of the table. */
export const getLog = (lake: string): string => join(lake, "event_rows", "_delta_log");
