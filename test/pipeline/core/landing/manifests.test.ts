import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Manifest,
  listMissingPages,
  readManifests,
  listSetAside,
  backUpManifest,
  writeManifest,
} from "../../../../pipeline/core/landing/manifests.ts";
import { landPage } from "../../../support/land.ts";
import { temporaryFolder } from "../../../support/load.ts";

const canary = "CANARY-content";

let root: string;
let landing: string;
let remove: () => void;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
  landing = join(root, "home", "landing");
});
afterEach(() => remove());

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

describe("manifests", () => {
  it("that the file system does not return now are not damaged", async () => {
    await writeManifest(landing, manifest());
    // Root may read any file, but a folder is unreadable as a file for everyone.
    mkdirSync(join(landing, "reads", "run-2.json"));
    expect(() => readManifests(landing)).toThrow(
      /^cannot read .*run-2\.json: EISDIR.*; correct the permissions, then run again$/,
    );
  });

  it("are read as they were written, oldest read first", async () => {
    const page = await landPage(landing, Buffer.from("[]"), "json");
    const all = [
      manifest({ read_id: "b", read_at: "2026-01-03 00:00:00.000", pages: [page] }),
      manifest({ read_id: "a", read_at: "2026-01-03 00:00:00.000", records_at: "data.items" }),
      manifest({ read_id: "c", read_at: "2026-01-02 23:00:00.000", window_start: null }),
    ];
    for (const one of all) await writeManifest(landing, one);
    expect(readManifests(landing).manifests).toEqual([all[2], all[1], all[0]]);
    expect(readManifests(join(root, "nowhere")).manifests).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["a part", JSON.stringify(manifest()).slice(0, 80)],
    ["a version that never was", JSON.stringify({ ...manifest(), version: 0 })],
    [
      "pages that are none in a version of now",
      JSON.stringify({ ...manifest(), version: 3, pages: 2 }),
    ],
    ["no object", "2"],
    ["a key too many and one too few", `{"version":1,"${canary}":1}`],
    [
      "a page that is none",
      JSON.stringify(manifest({ pages: [{ sha256: "../../x", bytes: 1, format: "csv" }] })),
    ],
    ["a name that leads elsewhere", JSON.stringify(manifest({ read_id: "../../elsewhere" }))],
  ])("with %s are reported as damaged", async (_what, content) => {
    await writeManifest(landing, manifest());
    writeFileSync(join(landing, "reads", "bad.json"), content);
    expect(readManifests(landing)).toEqual({ manifests: [manifest()], damaged: ["bad"] });
  });

  it.each([
    ["a later version", { version: 5 }],
    ["a later version of another shape", { version: 5, pages: canary }],
    ["a key of a later version", { [canary]: 1 }],
    [
      "a page with such a key",
      { pages: [{ sha256: "0".repeat(64), bytes: 1, format: "csv", [canary]: 1 }] },
    ],
  ])("with %s are not damaged", async (_what, more) => {
    await writeManifest(landing, manifest());
    writeFileSync(join(landing, "reads", "new.json"), JSON.stringify({ ...manifest(), ...more }));
    expect(() => readManifests(landing)).toThrow(
      /^manifest .*new\.json was written by a newer auditlake; install the newer version$/,
    );
    expect(() => readManifests(landing)).not.toThrow(canary);
  });

  it("are readable by their owner only", async () => {
    await writeManifest(landing, manifest());
    const modes = ["", "reads", "reads/run-1.json"].map((name) =>
      (statSync(join(landing, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "700", "600"]);
  });

  it("leave files of other kinds unchanged", async () => {
    await writeManifest(landing, manifest());
    writeFileSync(join(landing, "reads", ".abc.tmp"), "cut");
    expect(readManifests(landing).manifests).toHaveLength(1);
  });

  it("name their missing pages", async () => {
    const page = await landPage(landing, Buffer.from("[]"), "json");
    const gone = { ...page, sha256: "0".repeat(64) };
    const place = { file: "1".repeat(64), start: 0, length: 9 };
    const packed = { ...page, place };
    const shared = { ...gone, place: { ...place, file: page.sha256 } };
    const pages = [page, gone, packed, shared, gone];
    expect(listMissingPages(landing, [manifest({ pages })])).toEqual([gone, packed, gone]);
  });

  it("that were moved aside are listed by their names, with the time", async () => {
    expect(listSetAside(landing)).toEqual([]);
    await writeManifest(landing, manifest());
    const path = backUpManifest(landing, "run-1", Date.UTC(2026, 0, 3));
    expect(listSetAside(landing)).toEqual(["run-1.json.20260103T000000Z"]);
    expect(path).toBe(join(landing, "damaged", listSetAside(landing)[0]!));
    expect([readManifests(landing).manifests, readdirSync(join(landing, "reads"))]).toEqual([
      [],
      [],
    ]);
  });
});
