import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LandedPage, PageDamage, readPage } from "../../../../pipeline/core/landing/store.ts";
import { landPage } from "../../../support/land.ts";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { temporaryFolder } from "../../../support/load.ts";

const canary = "CANARY-content";
const bytes = Buffer.from(`{"time":1,"event_name":"${canary}"}\n`.repeat(50));

let root: string;
let landing: string;
let remove: () => void;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
  landing = join(root, "home", "landing");
});
afterEach(() => remove());

const getPath = ({ sha256 }: LandedPage): string =>
  join(landing, "pages", sha256.slice(0, 2), `${sha256}.zst`);
const readMode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** The inodes of what landing the page syncs. */
async function syncedBy(folder: string): Promise<Set<number>> {
  const found = new Set<number>();
  await using probe = await open(root, "r");
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  const own = Object.getOwnPropertyDescriptor(handles, "sync")!;
  const sync = own.value as (this: FileHandle) => Promise<void>;
  handles.sync = async function (this: FileHandle) {
    found.add((await this.stat()).ino);
    return sync.call(this);
  };
  try {
    await landPage(folder, bytes, "ndjson");
  } finally {
    Object.defineProperty(handles, "sync", own);
  }
  return found;
}

describe("a landed page", () => {
  it("is stored once under its content, however often and simultaneously it arrives", async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => landPage(landing, bytes, "ndjson")));
    const page = all[0]!;
    expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(readdirSync(join(landing, "pages"))).toEqual([page.sha256.slice(0, 2)]);
    expect(readdirSync(join(landing, "pages", page.sha256.slice(0, 2)))).toEqual([
      `${page.sha256}.zst`,
    ]);
    const before = statSync(getPath(page));
    await landPage(landing, bytes, "ndjson");
    expect(statSync(getPath(page)).ino).toBe(before.ino);
    expect(await readPage(landing, page)).toEqual(bytes);
  });

  it("is synced by name, too, if it existed already", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    // Another place, as a run finds it that did not make it.
    const moved = join(root, "moved");
    renameSync(landing, moved);
    const folders = [moved, join(moved, "pages"), join(moved, "pages", page.sha256.slice(0, 2))];
    const [first, again] = [await syncedBy(moved), await syncedBy(moved)];
    expect(folders.filter((path) => !first.has(statSync(path).ino))).toEqual([]);
    expect([...again]).toEqual([statSync(folders[2]!).ino]);
  });

  it("may be empty or long", async () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(3_000_000, "x")]) {
      const page = await landPage(landing, content, "csv");
      expect((await readPage(landing, page)).equals(content)).toBe(true);
    }
  });

  it("is readable by its owner only", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    expect(readMode(getPath(page))).toBe("600");
    const folders = ["", "pages", join("pages", page.sha256.slice(0, 2))];
    expect(folders.map((name) => readMode(join(landing, name)))).toEqual(folders.map(() => "700"));
  });

  const damages: Readonly<Record<string, (path: string) => void>> = {
    "cut off": (path) => truncateSync(path, 40),
    empty: (path) => truncateSync(path, 0),
    "changed by a bit": (path) => {
      const content = readFileSync(path);
      content[30]! ^= 4;
      writeFileSync(path, content);
    },
    "another page": (path) => writeFileSync(path, zstdCompressSync(Buffer.from("[]"))),
    "a longer page": (path) => writeFileSync(path, zstdCompressSync(Buffer.alloc(50_000_000))),
    "no page": (path) => writeFileSync(path, canary),
  };

  it.each(Object.keys(damages))(
    "that is %s is reported, and repaired by the next read",
    async (name) => {
      const page = await landPage(landing, bytes, "ndjson");
      damages[name]!(getPath(page));
      const error: unknown = await readPage(landing, page).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(PageDamage);
      expect(String(error)).toContain(getPath(page));
      expect(String(error)).not.toContain(canary);
      await landPage(landing, bytes, "ndjson");
      expect(await readPage(landing, page)).toEqual(bytes);
    },
  );

  it("that is missing is named", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    const gone = { ...page, sha256: "0".repeat(64) };
    const error: unknown = await readPage(landing, gone).catch((e: unknown) => e);
    expect([error instanceof PageDamage, String(error)]).toEqual([
      true,
      expect.stringContaining(gone.sha256),
    ]);
  });

  it("that cannot be read for another reason is not damaged", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    renameSync(getPath(page), join(root, "elsewhere"));
    mkdirSync(getPath(page));
    const error: unknown = await readPage(landing, page).catch((e: unknown) => e);
    expect([error instanceof AuditlakeError, error instanceof PageDamage]).toEqual([true, false]);
    expect(String(error)).toMatch(
      /landed page .*\.zst cannot be read: .*; fix that and run again$/,
    );
  });

  it("leaves nothing behind if it cannot be written", async () => {
    mkdirSync(join(root, "home"));
    writeFileSync(landing, "");
    await expect(landPage(landing, bytes, "ndjson")).rejects.toThrow(/cannot write .*free space/);
  });
});
