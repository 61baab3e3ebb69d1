import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listLeftovers, newJournal } from "../../../../pipeline/core/landing/journal.ts";
import {
  backUpManifest,
  type Manifest,
  getManifestPath,
  writeManifest,
} from "../../../../pipeline/core/landing/manifests.ts";
import {
  listCondemned,
  listPrunableFiles,
  removeReads,
} from "../../../../pipeline/core/landing/prunable-files.ts";
import { type LandedPage, getPagePath } from "../../../../pipeline/core/landing/store.ts";
import { listFilesBelow, sweepLanding } from "../../../../pipeline/core/landing/sweep.ts";
import { type Tombstone, writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { landPage } from "../../../support/land.ts";
import { temporaryFolder } from "../../../support/load.ts";

// What is deleted from landing: leftovers of failed or killed reads, and pruned pages.

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ path: folder, remove } = temporaryFolder());
});
afterEach(() => remove());

const land = (n: number, id?: string): Promise<LandedPage> =>
  landPage(
    folder,
    Buffer.from(`[${n}]`),
    "json",
    id === undefined ? undefined : newJournal(folder, id).note,
  );

async function write(id: string, ...pages: LandedPage[]): Promise<Manifest> {
  const times = { window_start: null, window_end: null, server_time: null, records_at: null };
  const common = { version: 1, command: "ingest", source: "s", run_id: "r", window_ms: 1000 };
  const rest = { read_at: "2026-01-01 00:00:00", closed: false, nightly: true, range_start: null };
  const manifest = { ...common, ...times, ...rest, read_id: id, pages } as Manifest;
  await writeManifest(folder, manifest);
  return manifest;
}

const buildTombstone = (reads: readonly Manifest[]): Tombstone => ({
  version: 1,
  prune_id: "p1",
  pruned_at: "2026-03-01 00:00:00",
  before: "2026-02-01 00:00:00",
  source: null,
  with_events: false,
  events: 0,
  quarantined: 0,
  reads: [...reads],
});

const isThere = (page: LandedPage): boolean => existsSync(getPagePath(folder, page));

describe("a sweep of landing", () => {
  it("removes temporary files and unreferenced pages, and then the journals", async () => {
    const [left, kept, buried] = [await land(1, "x"), await land(2, "x"), await land(3, "y")];
    await write("whole", kept);
    const manifest = await write("pruned", buried);
    await writeTombstone(folder, buildTombstone([manifest]));
    rmSync(getManifestPath(folder, "pruned"));
    const drafts = [
      dirname(getPagePath(folder, left)),
      join(folder, "reads"),
      join(folder, "begun"),
    ].map((path) => join(path, ".0123456789ab.tmp"));
    // Folders of pages that no read was writing to are not looked through.
    const elsewhere = join(folder, "pages", "zz", ".0123456789ab.tmp");
    mkdirSync(dirname(elsewhere));
    for (const path of [...drafts, elsewhere]) writeFileSync(path, "");
    await sweepLanding(folder);
    expect([left, kept, buried].map(isThere)).toEqual([false, true, true]);
    expect([...drafts, elsewhere].map((path) => existsSync(path))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(listLeftovers(folder)).toEqual([]);
  });

  it("leaves pages if a manifest is damaged or moved aside, and tombstones cannot be read", async () => {
    const left = await land(1, "x");
    await write("whole", await land(2));
    const path = getManifestPath(folder, "whole");
    writeFileSync(path, "{");
    await sweepLanding(folder);
    expect([isThere(left), listLeftovers(folder).length]).toEqual([true, 1]);
    backUpManifest(folder, "whole", 0);
    await sweepLanding(folder);
    expect([isThere(left), listLeftovers(folder).length]).toEqual([true, 1]);
    rmSync(join(folder, "damaged"), { recursive: true });
    mkdirSync(join(folder, "pruned"));
    writeFileSync(join(folder, "pruned", "p1.json"), "{");
    await sweepLanding(folder);
    expect([isThere(left), listLeftovers(folder).length]).toEqual([true, 1]);
    rmSync(join(folder, "pruned"), { recursive: true });
    await sweepLanding(folder);
    expect([isThere(left), listLeftovers(folder).length]).toEqual([false, 0]);
  });

  it("of a missing folder does nothing", async () => {
    await sweepLanding(join(folder, "nowhere"));
    expect(listFilesBelow(join(folder, "nowhere"))).toEqual([]);
  });
});

describe("a prune of landing", () => {
  const sha256s = (files: readonly { readonly name: string }[]): string[] =>
    files.map(({ name }) => name).toSorted();
  const listNames = (...pages: LandedPage[]): string[] =>
    pages.map(({ sha256 }) => sha256).toSorted();

  it("removes files that no other read references, and those of no read unless manifests are moved aside", async () => {
    const [own, shared, other, nameless] = await Promise.all([1, 2, 3, 4].map((n) => land(n)));
    await write("old", own!, shared!);
    await write("young", shared!, other!);
    const gone = new Set(["old"]);
    const found = listPrunableFiles(folder, gone);
    expect([sha256s(found.unneeded), found.heldBack]).toEqual([listNames(own!, nameless!), 0]);
    expect(found.unneeded.every(({ bytes }) => bytes > 0 && bytes < 100)).toBe(true);
    await write("broken");
    backUpManifest(folder, "broken", 0);
    const held = listPrunableFiles(folder, gone);
    expect([sha256s(held.unneeded), held.heldBack]).toEqual([listNames(own!), 1]);
    writeFileSync(getManifestPath(folder, "cut"), "{");
    expect(() => listPrunableFiles(folder, gone)).toThrow(
      /^manifest .*cut\.json cannot be read, so/,
    );
  });

  it("removes files, and then the manifests, and the tombstone records which of them remain", async () => {
    const [own, shared] = [await land(1), await land(2)];
    const old = await write("old", own, shared);
    await write("young", shared);
    const tombstones = [buildTombstone([old])];
    expect(listCondemned(folder, tombstones)).toEqual([old]);
    expect(sha256s(removeReads(folder, [old]))).toEqual(listNames(own));
    expect([own, shared].map(isThere)).toEqual([false, true]);
    expect(listCondemned(folder, tombstones)).toEqual([]);
    expect(existsSync(getManifestPath(folder, "young"))).toBe(true);
  });
});
