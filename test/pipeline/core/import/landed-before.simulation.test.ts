import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readManifests } from "../../../../pipeline/core/landing/manifests.ts";
import { getPagePath, readPage } from "../../../../pipeline/core/landing/store.ts";
import { readCopy, homeWithWarehouse, type TestHome } from "../../../support/home.ts";

// A file of three pages, since one of a single page has another name.
const text = "x".repeat(100_000);
const formatLine = (i: number): string =>
  `${JSON.stringify({ time: 1_767_225_600 + i, event_name: "x", id: `${i}`, arguments: `${i}${text}` })}\n`;
const lines = Array.from({ length: 200 }, (_, i) => formatLine(i));
const whole = lines.join("");

const readPack = (home: TestHome): string => {
  const { landing } = resolveHome(home.home);
  return getPagePath(landing, readManifests(landing).manifests[0]!.pages[0]!);
};

const flip = (path: string): void => {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  rmSync(path);
  writeFileSync(path, bytes);
};

type Case = {
  readonly content: string | Buffer;
  readonly before?: (pack: string, home: TestHome) => void;
  readonly fetched?: number;
  readonly fresh?: number;
  /** The file of the first import is as it was: nothing was written in its place. */
  readonly isKept?: boolean;
  /** The manifest of the first import stays damaged. */
  readonly isFirstLost?: boolean;
};

const changeManifest = (home: TestHome, from: RegExp, to: string): void => {
  const { landing } = resolveHome(home.home);
  const [first] = readManifests(landing).manifests;
  const path = join(landing, "reads", `${first!.read_id}.json`);
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
};

const cases: Readonly<Record<string, Case>> = {
  "as it is": { content: whole, isKept: true },
  "packed by gzip": { content: gzipSync(whole), isKept: true },
  "packed by zstd": { content: zstdCompressSync(whole), isKept: true },
  "with a record more": { content: whole + formatLine(200), fetched: 201, fresh: 1, isKept: true },
  "with a record less": { content: lines.slice(0, -1).join(""), fetched: 199, isKept: true },
  "with its first page alone": { content: lines.slice(0, 83).join(""), fetched: 83, isKept: true },
  "with another record at its end": {
    content: [...lines.slice(0, -1), formatLine(300)].join(""),
    fresh: 1,
    isKept: true,
  },
  "with another record in the middle": {
    content: [...lines.slice(0, 100), formatLine(300), ...lines.slice(101)].join(""),
    fresh: 1,
    isKept: true,
  },
  "in another order": { content: lines.toReversed().join(""), isKept: true },
  "where a byte on the disk has changed": { content: whole, before: flip },
  "where its end on the disk is missing": {
    content: whole,
    before: (pack) => truncateSync(pack, statSync(pack).size - 1),
  },
  "where its pages are missing": { content: whole, before: (pack) => rmSync(pack) },
  "where its manifest says that a page begins elsewhere": {
    content: whole,
    before: (_pack, home) => changeManifest(home, /"start": 0/, '"start": 1'),
    isFirstLost: true,
  },
  "where its manifest says that a page is shorter": {
    content: whole,
    before: (_pack, home) => changeManifest(home, /"length": \d/, '"length": '),
    isFirstLost: true,
  },
  "where its manifest says that the last page is shorter": {
    content: whole,
    before: (_pack, home) => changeManifest(home, /"length": \d(?![^]*"length")/, '"length": '),
    isFirstLost: true,
  },
  "where its manifest says that a page holds less": {
    content: whole,
    before: (_pack, home) => changeManifest(home, /"bytes": \d/, '"bytes": '),
    isFirstLost: true,
  },
  "where its manifest is missing": {
    content: whole,
    before: (_pack, { home }) => {
      const { landing } = resolveHome(home);
      const [first] = readManifests(landing).manifests;
      rmSync(join(landing, "reads", `${first!.read_id}.json`));
    },
  },
};

describe("a file that was imported before", () => {
  let made: TestHome;
  beforeAll(async () => {
    made = await homeWithWarehouse();
    expect((await made.run(["import", made.write("first.ndjson", whole)])).code).toBe(0);
  });
  afterAll(() => made[Symbol.dispose]());

  it.each(Object.entries(cases))("adds only its new events: %s", async (_name, one) => {
    const { content, before, fetched = 200, fresh = 0, isKept = false, isFirstLost = false } = one;
    using home = readCopy(made);
    const pack = readPack(home);
    before?.(pack, home);
    const { ino } = statSync(pack, { throwIfNoEntry: false }) ?? { ino: 0 };
    const { code, err } = await home.run(["import", home.write("again", content)]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`${fetched} records, ${fresh} new, ${fetched - fresh} duplicates`),
    ]);
    expect(await home.count("select count(distinct id) from events")).toBe(200 + fresh);
    expect(await home.count("select count(*) from events")).toBe(200 + fresh);
    await expectWholeLanding(home, isFirstLost ? 1 : 0);
    if (isKept) expect(statSync(pack).ino).toBe(ino);
  });

  it("comes through a pipe, and nothing of it is new", async () => {
    using home = readCopy(made);
    const pipe = join(home.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const given = writeFile(pipe, whole);
    const { code, err } = await home.run(["import", pipe]);
    await given;
    expect([code, err]).toEqual([0, expect.stringContaining("200 records, 0 new, 200 duplicates")]);
    await expectWholeLanding(home);
    const reads = "select digest, inserted, duplicate from window_reads order by read_id";
    const [first, second] = await home.rows(reads);
    expect(second).toEqual({ digest: first!["digest"], inserted: "0", duplicate: "200" });
  });

  it("of a single page is written again if a byte of it has changed on the disk", async () => {
    using home = await homeWithWarehouse();
    await home.load([{ time: 1_767_225_600, event_name: "x", id: "1" }]);
    const page = readPack(home);
    flip(page);
    await home.load([{ time: 1_767_225_600, event_name: "x", id: "1" }]);
    await expectWholeLanding(home);
    const { ino } = statSync(page);
    await home.load([{ time: 1_767_225_600, event_name: "x", id: "1" }]);
    expect(statSync(page).ino).toBe(ino);
  });
});

async function expectWholeLanding(home: TestHome, from = 0): Promise<void> {
  const { landing } = resolveHome(home.home);
  const { manifests, damaged } = readManifests(landing);
  expect(damaged).toEqual([]);
  for (const { pages } of manifests.slice(from))
    for (const page of pages) expect((await readPage(landing, page)).length).toBe(page.bytes);
}

it("a file with one page twice causes no message, since no other one was omitted", async () => {
  using home = await homeWithWarehouse();
  const page = lines.slice(0, 83).join("");
  const { code, err } = await home.run(["import", home.write("twice.ndjson", page + page)]);
  expect([code, err]).toEqual([0, expect.stringContaining("166 records, 83 new")]);
  expect(await home.rows("select pages, signs from window_reads")).toEqual([
    { pages: "2", signs: [] },
  ]);
});
