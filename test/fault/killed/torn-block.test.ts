import { DuckDBConnection } from "@duckdb/node-api";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { readCopy, newHome, type TestHome } from "../../support/home.ts";
import { fewOrAll } from "../length.ts";

// A checkpoint writes blocks of metadata in place, though the header on the disk still points at them. A process that
// is killed within one such write leaves part of the old block and part of the new one.

const headerBytes = 3 * 4096;
const blockBytes = 256 * 1024;
const pageBytes = 4096;
const written = fewOrAll([32], [1, 2, 8, 16, 32, 48, 63]);

type Torn = { readonly block: number; readonly pages: number };

let home: TestHome;
let before: Buffer;
let after: Buffer;
const log = (): string => join(home.folder, "log");

beforeAll(async () => {
  home = newHome();
  const { warehouse, published } = resolveHome(home.home);
  const events = (day: number) =>
    Array.from({ length: 3000 }, (_, i) => ({
      time: 1_767_225_600 + day * 86_400 + i,
      event_name: i % 3 === 0 ? "sign_in" : "job_issue",
      id: `d${day}-${i}`,
      job: i,
      user_id: i % 7,
    }));
  for (const day of [0, 1, 2]) expect((await home.load(events(day))).code).toBe(0);
  before = readFileSync(warehouse);
  const kept = join(home.folder, "published");
  copyFileSync(published, kept);
  const run = Reflect.get(DuckDBConnection.prototype, "run") as DuckDBConnection["run"];
  const spy = vi.spyOn(DuckDBConnection.prototype, "run");
  spy.mockImplementation(function (this: DuckDBConnection, sql, ...rest) {
    if (sql === "checkpoint" && !existsSync(log())) copyFileSync(`${warehouse}.wal`, log());
    return run.call(this, sql, ...rest);
  });
  try {
    expect((await home.load(events(3))).code).toBe(0);
  } finally {
    spy.mockRestore();
  }
  after = readFileSync(warehouse);
  // As the kill left it, it was not published.
  rmSync(published);
  copyFileSync(kept, published);
});
afterAll(() => home[Symbol.dispose]());

// Blocks of the file before whose bytes differ on both sides of some page.
function tears(): Torn[] {
  const found: Torn[] = [];
  for (let block = 0; headerBytes + (block + 1) * blockBytes <= before.length; block++) {
    const [old, now] = [before, after].map((file) =>
      file.subarray(headerBytes + block * blockBytes, headerBytes + (block + 1) * blockBytes),
    ) as [Buffer, Buffer];
    for (const pages of written) {
      const at = pages * pageBytes;
      const isTorn = ![old, now].some((whole) =>
        Buffer.concat([now.subarray(0, at), old.subarray(at)]).equals(whole),
      );
      if (isTorn) found.push({ block, pages });
    }
  }
  return found;
}

describe("a block that a kill left partly written", () => {
  it("loses nothing: the next run reports it, and resumes from the published state", async () => {
    const all = tears();
    expect(all.length).toBeGreaterThan(1);
    let repaired = 0;
    for (const { block, pages } of all) {
      using copy = readCopy(home);
      const { warehouse } = resolveHome(copy.home);
      const torn = Buffer.from(before);
      const at = headerBytes + block * blockBytes;
      after.copy(torn, at, at, at + pages * pageBytes);
      writeFileSync(warehouse, torn);
      copyFileSync(log(), `${warehouse}.wal`);
      const next = copy.write(
        "next.ndjson",
        '{"time":1767225600,"event_name":"sign_in","id":"n"}\n',
      );
      const { code, err } = await copy.run(["import", next]);
      expect([block, pages, code], err).toEqual([block, pages, 0]);
      const isRepaired = err.includes("does not open: ");
      repaired += isRepaired ? 1 : 0;
      const kept = readdirSync(copy.home).filter((name) => name.includes(".damaged-"));
      expect([block, kept.length], err).toEqual([block, isRepaired ? 1 : 0]);
      expect((await copy.run(["rebuild"])).code).toBe(0);
      expect([block, await copy.count("select count(distinct id) from events")]).toEqual([
        block,
        12_001,
      ]);
      expect(await copy.count("select count(*) from events")).toBe(12_001);
    }
    expect(repaired).toBeGreaterThan(0);
  });
});
