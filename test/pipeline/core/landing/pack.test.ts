import fc from "fast-check";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPack } from "../../../../pipeline/core/landing/pack.ts";
import { type LandedPage, PageDamage, readPage } from "../../../../pipeline/core/landing/store.ts";
import { listFilesBelow, sweepLanding } from "../../../../pipeline/core/landing/sweep.ts";
import { temporaryFolder } from "../../../support/load.ts";

let landing: string;
let remove: () => void;
beforeEach(() => {
  const folder = temporaryFolder();
  landing = join(folder.path, "landing");
  remove = () => folder.remove();
});
afterEach(() => remove());

const noted: string[] = [];
const journal = { note: (file: string) => Promise.resolve(void noted.push(file)) };

async function land(pages: readonly string[]): Promise<readonly LandedPage[]> {
  await using pack = newPack(landing, journal);
  for (const [i, page] of pages.entries()) await pack.add(Buffer.from(page), "json", i % 2);
  return await pack.end();
}

const readTexts = async (pages: readonly LandedPage[]): Promise<string[]> =>
  Promise.all(pages.map(async (page) => (await readPage(landing, page)).toString()));

describe("the pages of a read", () => {
  it("property: are in one file in their order, with equal and empty ones, and can be read separately", async () => {
    const page = fc.oneof(
      fc.string(),
      fc.constant(""),
      fc.constant("same"),
      fc.string({ minLength: 5000, maxLength: 9000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(page, { maxLength: 9 }), async (texts) => {
        const before = new Set(listFilesBelow(landing));
        const pages = await land(texts);
        expect(await readTexts(pages)).toEqual(texts);
        expect(pages.map(({ part }) => part)).toEqual(texts.map((_, i) => i % 2));
        expect(listFilesBelow(landing).filter((path) => !before.has(path)).length).toBeLessThan(2);
        expect(listFilesBelow(join(landing, "begun"))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it("have one name for the same bytes: references to the file are valid after it is written again", async () => {
    const first = await land(["one", "two", "three"]);
    expect(await land(["one", "two", "three"])).toEqual(first);
    expect(new Set(listFilesBelow(landing)).size).toBe(1);
    expect(await readTexts(first)).toEqual(["one", "two", "three"]);
    // Another order is another file.
    expect((await land(["two", "one", "three"]))[0]!.place!.file).not.toBe(first[0]!.place!.file);
  });

  it("are recorded before their file has its name", async () => {
    const files = join(landing, "pages");
    const seen: number[] = [];
    await using pack = newPack(landing, {
      note: () => Promise.resolve(void seen.push(listFilesBelow(files).length)),
    });
    for (const page of ["one", "two"]) await pack.add(Buffer.from(page), "json");
    await pack.end();
    expect(seen).toEqual([0]);
    expect(listFilesBelow(files)).toHaveLength(1);
  });

  it("are readable by their owner only, and can be unpacked with the file and zstd", async () => {
    const pages = await land(["one", "two"]);
    const [path] = listFilesBelow(landing) as [string];
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    const frames = pages.map(({ place: { start, length } = { start: 0, length: 0 } }) =>
      zstdDecompressSync(readFileSync(path).subarray(start, start + length)).toString(),
    );
    expect(frames).toEqual(["one", "two"]);
  });

  it("are checked separately if the file is damaged: one is damaged, its neighbours are complete", async () => {
    const pages = await land(["one".repeat(99), "two".repeat(99), "three".repeat(99)]);
    const [path] = listFilesBelow(landing) as [string];
    const { start, length } = pages[1]!.place!;
    const fd = openSync(path, "r+");
    writeSync(fd, Buffer.alloc(length), 0, length, start);
    closeSync(fd);
    const outcomes = await Promise.all(
      pages.map((page) =>
        readPage(landing, page).then(
          () => "whole",
          (error: unknown) => error,
        ),
      ),
    );
    expect([outcomes[0], outcomes[2]]).toEqual(["whole", "whole"]);
    expect(outcomes[1]).toBeInstanceOf(PageDamage);
    expect(String(outcomes[1])).toContain(path);
  });

  it("leave nothing if the read is given up, and a temporary file for the next sweep if it was killed", async () => {
    {
      await using pack = newPack(landing, journal);
      for (const page of ["one", "two", "three"]) await pack.add(Buffer.from(page), "json");
    }
    expect(listFilesBelow(landing)).toEqual([]);
    const killed = newPack(landing, journal);
    for (const page of ["one", "two", "three", "four", "five"])
      await killed.add(Buffer.from(page), "json");
    expect(listFilesBelow(join(landing, "begun"))).toHaveLength(1);
    await sweepLanding(landing);
    expect(listFilesBelow(landing)).toEqual([]);
    await killed[Symbol.asyncDispose]();
  });

  it("fail with what to do where they cannot be written", async () => {
    mkdirSync(landing);
    writeFileSync(join(landing, "begun"), "");
    await expect(land(["one", "two"])).rejects.toThrow(/cannot write .*free space/);
  });
});
