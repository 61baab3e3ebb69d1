import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { readFiles, readVersions } from "./reader.ts";
import { type LakeHome, lakeHome, listRecords } from "./scene.ts";

/** A home with a lake of one publication, for each test a copy of both. */
export type OnePublication = {
  readonly home: LakeHome;
  /** The path of the first file that the newest publication has of a table. */
  readonly fileOf: (table: string) => string;
};

/** Publishes once for a test file. */
export function onePublication(): OnePublication {
  let published: LakeHome;
  let home: LakeHome;
  beforeAll(async () => {
    published = lakeHome();
    await published.load([...listRecords(0, "a", 8), ...listRecords(1, "a", 8)]);
    expect((await published.lake("publish")).code).toBe(0);
  });
  beforeEach(() => {
    home = lakeHome();
    cpSync(published.home, home.home, { recursive: true });
    chmodSync(home.home, 0o700);
    cpSync(published.root, home.root, { recursive: true });
  });
  afterEach(() => home[Symbol.dispose]());
  afterAll(() => published[Symbol.dispose]());
  return {
    get home() {
      return home;
    },
    fileOf: (table) =>
      join(home.root, table, readFiles(home.root, table, readVersions(home.root)[table]!)[0]!),
  };
}
