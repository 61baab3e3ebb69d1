import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { type PageCache, newPageCache, newLoader } from "../../../../pipeline/core/load/loader.ts";
import type { Writer } from "../../../../pipeline/core/writer/open.ts";
import { temporaryFolder } from "../../../support/load.ts";

const mb = 1024 * 1024;
type Read = { readonly bytes?: number; readonly source?: string; readonly window_ms?: number };
const reads = (...all: Read[]): Manifest[] =>
  all.map(({ bytes = 1000, source = "a", window_ms = 1 }, i) => {
    const pages = [{ bytes: bytes / 2 }, { bytes: bytes / 2 }];
    return { read_id: `r${i}`, source, window_ms, pages } as unknown as Manifest;
  });
const many = (count: number, read: Read): Read[] => Array.from({ length: count }, () => read);

/** The reads whose rows are made when it is the turn of one of them. */
async function together(all: readonly Manifest[], turn = 0): Promise<string[]> {
  const { path, remove } = temporaryFolder();
  const home = resolveHome(path);
  const looked: string[] = [];
  // Pages that were never landed have no rows; which were asked for is all that counts here.
  const { openPages, ...rest } = newPageCache();
  const note: PageCache["openPages"] = (landing, manifest) => {
    looked.push(manifest.read_id);
    return openPages(landing, manifest);
  };
  const held = { ...rest, openPages: note };
  const writer = { database: {}, fields: {} } as Writer;
  const made = await newLoader(home, writer, () => all, held).prepare(all[turn]!);
  expect([made.size, existsSync(join(home.staging, "group"))]).toEqual([0, false]);
  remove();
  return looked;
}

test.each<[what: string, all: Read[], turn: number, expected: number[]]>([
  ["those that wait behind it", many(4, {}), 1, [1, 2, 3]],
  ["no more than 64", many(70, {}), 0, Array.from({ length: 64 }, (_, i) => i)],
  ["16 MB of pages, to the byte", many(5, { bytes: 4 * mb }), 0, [0, 1, 2, 3]],
  ["less than that and a byte", [...many(3, { bytes: 5 * mb }), { bytes: mb + 2 }], 0, [0, 1, 2]],
  ["of one source", [{}, { source: "b" }, {}], 0, [0, 2]],
  ["of one length of windows", [{}, { window_ms: 2 }, {}], 0, [0, 2]],
  ["none where it waits alone", [{}, {}], 1, []],
  ["none where the next does not fit", [{ bytes: 16 * mb }, {}], 0, []],
])("the rows of a read are made with those of others: %s", async (_, all, turn, expected) => {
  expect(await together(reads(...all), turn)).toEqual(expected.map((i) => `r${i}`));
});
