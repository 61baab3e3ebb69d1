import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isOld, marker, newScene } from "./scene.ts";

const scene = newScene();

/** Finds where the planted text remains: in the bytes of a database, or in a raw page. */
function plant(): string[] {
  const databases = readdirSync(scene.home.home).filter((name) => name.includes(".duckdb"));
  const pages = scene.stage.names("pages").map((name) => join("landing/pages", name));
  return [...databases, ...pages].filter((name) => {
    const bytes = readFileSync(join(scene.home.home, name));
    return (name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).includes(marker);
  });
}

describe("prune of events", () => {
  it("deletes them in every file, and neither rebuild nor the next run brings them back", async () => {
    const young = await scene.home.rows(
      `select * from events where not ${isOld} order by event_key`,
    );
    expect(plant().length).toBeGreaterThan(3);
    const { code, err } = await scene.stage.prune("--events", "--yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/pruned 4 reads, 4 files of pages \(\d+ bytes\), 31 events; /),
    ]);
    expect(plant()).toEqual([]);
    expect(await scene.stage.events()).toEqual(young);
    expect(await scene.home.count("select count(*) from quarantine")).toBe(0);
    const kept = await scene.stage.ledger();
    expect((await scene.home.run(["rebuild"])).code).toBe(0);
    expect([await scene.stage.events(), await scene.stage.ledger()]).toEqual([young, kept]);
    const world = { env: scene.remote.env(), now: () => scene.remote.clock.nowMs };
    expect((await scene.home.run(["ingest"], world)).code).toBe(0);
    expect(await scene.home.count(`select count(*) from events where ${isOld}`)).toBe(0);
    expect(kept[3]).toMatchObject([
      { with_events: true, reads: "4", events: "31", quarantined: "1" },
    ]);
  });

  it("stops while a landed read is not loaded, which would bring them back", async () => {
    const all = await scene.stage.events();
    const [manifest] = scene.stage.names("reads");
    const path = join(scene.home.home, "landing/reads", manifest!);
    const read = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(
      join(scene.home.home, "landing/reads", "left.json"),
      JSON.stringify({ ...read, read_id: "left" }),
    );
    const { code, err } = await scene.stage.prune("--events", "--yes");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /1 read stored but not in the published file: never pruned.*error: nothing was removed: 1 landed reads are not loaded/s,
      ),
    ]);
    expect(await scene.stage.events()).toEqual(all);
    expect((await scene.stage.prune("--yes")).code).toBe(0);
    expect(scene.stage.names("reads")).toContain("left.json");
  });
});
