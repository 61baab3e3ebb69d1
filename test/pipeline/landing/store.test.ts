import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  landPage,
  listManifests,
  missingPages,
  readPage,
  writeManifest,
  type LandedPage,
  type Manifest,
} from "../../../pipeline/landing/store.ts";
import { AuditlakeError } from "../../../pipeline/errors.ts";
import { temporaryFolder } from "../../support/load.ts";

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

const pathOf = ({ sha256 }: LandedPage): string =>
  join(landing, "pages", sha256.slice(0, 2), `${sha256}.zst`);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function manifest(more: Partial<Manifest> = {}): Manifest {
  return {
    version: 1,
    read_id: "run-1",
    run_id: "run",
    command: "ingest",
    source: "default",
    window_start: "2026-01-01 00:00:00.000",
    window_end: "2026-01-02 00:00:00.000",
    window_ms: 86_400_000,
    read_at: "2026-01-03 00:00:00.000",
    server_time: null,
    closed: true,
    nightly: true,
    range_start: null,
    records_at: null,
    pages: [],
    ...more,
  };
}

describe("a landed page", () => {
  it("is stored once under its content, however often and at once it comes", async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => landPage(landing, bytes, "ndjson")));
    const page = all[0]!;
    expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(readdirSync(join(landing, "pages"))).toEqual([page.sha256.slice(0, 2)]);
    expect(readdirSync(join(landing, "pages", page.sha256.slice(0, 2)))).toEqual([
      `${page.sha256}.zst`,
    ]);
    const before = statSync(pathOf(page));
    await landPage(landing, bytes, "ndjson");
    expect(statSync(pathOf(page)).ino).toBe(before.ino);
    expect(await readPage(landing, page)).toEqual(bytes);
  });

  it("may be empty or long", async () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(3_000_000, "x")]) {
      const page = await landPage(landing, content, "csv");
      expect((await readPage(landing, page)).equals(content)).toBe(true);
    }
  });

  it("can be read by its owner alone", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    await writeManifest(landing, manifest());
    expect([pathOf(page), join(landing, "reads", "run-1.json")].map(modeOf)).toEqual([
      "600",
      "600",
    ]);
    const folders = ["", "pages", join("pages", page.sha256.slice(0, 2)), "reads"];
    expect(folders.map((name) => modeOf(join(landing, name)))).toEqual(folders.map(() => "700"));
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
    "that is %s is reported, and heals when it comes again",
    async (name) => {
      const page = await landPage(landing, bytes, "ndjson");
      damages[name]!(pathOf(page));
      const error: unknown = await readPage(landing, page).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(AuditlakeError);
      expect(String(error)).toContain(pathOf(page));
      expect(String(error)).not.toContain(canary);
      await landPage(landing, bytes, "ndjson");
      expect(await readPage(landing, page)).toEqual(bytes);
    },
  );

  it("that is not there is named", async () => {
    const page = await landPage(landing, bytes, "ndjson");
    const gone = { ...page, sha256: "0".repeat(64) };
    await expect(readPage(landing, gone)).rejects.toThrow(gone.sha256);
    expect(missingPages(landing, [manifest({ pages: [page, gone, gone] })])).toEqual([gone.sha256]);
  });

  it("leaves nothing behind where it cannot be written", async () => {
    mkdirSync(join(root, "home"));
    writeFileSync(landing, "");
    await expect(landPage(landing, bytes, "ndjson")).rejects.toThrow(/cannot write .*free space/);
  });
});

describe("manifests", () => {
  it("come back as they were written, oldest read first", async () => {
    const page = await landPage(landing, bytes, "json");
    const all = [
      manifest({ read_id: "b", read_at: "2026-01-03 00:00:00.000", pages: [page] }),
      manifest({ read_id: "a", read_at: "2026-01-03 00:00:00.000", records_at: "data.items" }),
      manifest({ read_id: "c", read_at: "2026-01-02 23:00:00.000", window_start: null }),
    ];
    for (const one of all) await writeManifest(landing, one);
    expect(listManifests(landing)).toEqual([all[2], all[1], all[0]]);
    expect(listManifests(join(root, "nowhere"))).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["a part", JSON.stringify(manifest()).slice(0, 80)],
    ["another version", JSON.stringify({ ...manifest(), version: 2 })],
    [
      "a page that is none",
      JSON.stringify(manifest({ pages: [{ sha256: "../../x", bytes: 1, format: "csv" }] })),
    ],
    ["a name that leads elsewhere", JSON.stringify(manifest({ read_id: "../../elsewhere" }))],
    ["an unknown key", JSON.stringify({ ...manifest(), [canary]: 1 })],
  ])("that hold %s are reported by their path", async (_what, content) => {
    await writeManifest(landing, manifest());
    writeFileSync(join(landing, "reads", "bad.json"), content);
    expect(() => listManifests(landing)).toThrow(/manifest .*bad\.json cannot be read/);
    expect(() => listManifests(landing)).not.toThrow(canary);
  });

  it("leave files of other kinds alone", async () => {
    await writeManifest(landing, manifest());
    writeFileSync(join(landing, "reads", ".abc.tmp"), "cut");
    expect(listManifests(landing)).toHaveLength(1);
  });
});
