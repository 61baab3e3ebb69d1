import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { newFolderStore } from "../../../../pipeline/adapters/lake/store.ts";
import type { Outcome } from "../../../../pipeline/adapters/lake/publish.ts";
import {
  eventsAtHome,
  readId,
  type LakeHome,
  lakeHome,
  publishThrough,
  listRecords,
} from "./scene.ts";

/** A home with a second publication for a lake that has the first. */
export type TwoPublications = {
  readonly home: LakeHome;
  /** The lake after the first publication; tests change copies of it. */
  readonly root: string;
  /** A copy of that. */
  readonly fresh: (name: string) => string;
  /** Publishes into a copy. */
  readonly publish: (
    root: string,
    flags?: Parameters<typeof publishThrough>[3],
  ) => Promise<Outcome>;
  /** The events of the first publication, and those of both. */
  readonly firstEvents: string[];
  readonly allEvents: string[];
};

/** Prepares them once for a test file. */
export function twoPublications(): TwoPublications {
  let home: LakeHome;
  let firstEvents: string[];
  let allEvents: string[];
  const getRoot = (): string => `${home.root}-1`;
  beforeAll(async () => {
    home = lakeHome();
    // The newest first, as some services give them.
    const days = [0, 1, 2].flatMap((day) => listRecords(day, "a"));
    await home.load(days.toReversed());
    expect(await home.lake("publish")).toMatchObject({ code: 0, out: "" });
    firstEvents = await eventsAtHome(home);
    cpSync(home.root, getRoot(), { recursive: true });
    // A new day, and one event that is late for the first.
    await home.load([...listRecords(3, "b"), ...listRecords(0, "late", 1)]);
    allEvents = await eventsAtHome(home);
  });
  afterAll(() => home[Symbol.dispose]());
  return {
    get home() {
      return home;
    },
    get root() {
      return getRoot();
    },
    fresh: (name) => {
      const root = join(home.folder, name);
      cpSync(getRoot(), root, { recursive: true });
      return root;
    },
    publish: (root, flags) => publishThrough(home, newFolderStore(root), readId(root), flags),
    get firstEvents() {
      return firstEvents;
    },
    get allEvents() {
      return allEvents;
    },
  };
}
