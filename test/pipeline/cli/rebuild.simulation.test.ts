import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatLines, newHome } from "../../support/home.ts";
import { newRebuildScene } from "./rebuild/scene.ts";

const scene = newRebuildScene();

it("rebuild makes the same database from landing alone: rows, ledger, checkpoint", async () => {
  const before = await scene.contents();
  expect(before[1]!.length).toBeGreaterThan(8);
  const { code, err } = await scene.home.run(["rebuild"]);
  expect([code, err]).toEqual([0, expect.stringMatching(/digest [0-9a-f]{32}, same as before\n$/)]);
  expect(await scene.contents()).toEqual(before);
  for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(scene.home.home, file));
  expect((await scene.home.run(["rebuild"])).code).toBe(0);
  expect(await scene.contents()).toEqual(before);
  expect(statSync(join(scene.home.home, "audit.duckdb")).mode & 0o777).toBe(0o440);
});

it("rebuild loads reads that were landed and not loaded, without reporting them as a difference", async () => {
  using older = newHome();
  cpSync(join(scene.home.home, "warehouse.duckdb"), join(older.folder, "kept"));
  expect((await scene.home.load([{ time: 1, event_name: "sign_in" }])).code).toBe(0);
  // The warehouse of before that import: what a killed run leaves.
  cpSync(join(older.folder, "kept"), join(scene.home.home, "warehouse.duckdb"));
  let nowMs = Date.UTC(2026, 3, 1);
  const now = (): number => (nowMs += 6000);
  const argv = ["--progress", "json", "rebuild"];
  const { code, err } = await scene.home.run(argv, { now });
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/same as before; 1 read loaded that had been missing\n$/),
  ]);
  expect(await scene.home.count("select count(*) from events where event_name = 'sign_in'")).toBe(
    1,
  );
  // It reports each of its steps, the last of which is that read.
  const progress = err.split("\n").filter((line) => line.startsWith("{"));
  const last = { done: progress.length, total: progress.length, unit: "steps" };
  expect(JSON.parse(progress.at(-1)!)).toEqual({
    ...last,
    note: expect.stringMatching(/^2\d{3}-/),
  });
  expect(await scene.home.run([...argv, "--quiet"], { now })).toEqual({
    code: 0,
    out: "",
    err: "",
  });
});

it("rebuild applies the record limit of the time of reading, regardless of the present one", async () => {
  const withLimit = (max_record_bytes: number, ...argv: string[]) => {
    const sources = { default: { limits: { max_record_bytes } } };
    const config = scene.home.write("limits.json", JSON.stringify({ sources }));
    return scene.home.run(["--config", config, ...argv]);
  };
  const long = { time: 2, event_name: "sign_in", old_value: "x".repeat(3000) };
  const records = scene.home.write("long.ndjson", formatLines([{ ...long, old_value: "" }, long]));
  expect((await withLimit(1024, "import", records)).err).toContain("1 new, 0 duplicates, 1 quar");
  const before = await scene.contents();
  const { code, err } = await withLimit(16_777_216, "rebuild");
  expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
  expect(await scene.contents()).toEqual(before);
});

describe("damage in landing", () => {
  it("changes nothing, and --carry-over takes the events from the database", async () => {
    const before = await scene.contents();
    truncateSync(scene.page(), 20);
    const refused = await scene.home.run(["rebuild"]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/^error: nothing was changed.*--carry-over to take its events/),
    ]);
    expect(refused.err).toMatch(/landed page .*\.zst cannot be read: /);
    expect(await scene.contents()).toEqual(before);
    const { code, err } = await scene.home.run(["rebuild", "--carry-over"]);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/same as before; \d+ reads? taken from/),
    ]);
    expect(await scene.contents()).toEqual(before);
  });

  it("that no database can replace is skipped only under --force, and named", async () => {
    truncateSync(scene.page(), 20);
    for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(scene.home.home, file));
    const refused = await scene.home.run(["rebuild", "--carry-over"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("cannot be read")]);
    const forced = await scene.home.run(["rebuild", "--force"]);
    expect([forced.code, forced.err]).toEqual([
      0,
      expect.stringMatching(/^warning: left out: landed page .*\nrebuilt .*\n$/),
    ]);
    expect(await scene.home.count("select count(*) from events")).toBeGreaterThan(0);
  });
});

it("rebuild refuses a database that differs, unless a flag accepts it", async () => {
  const manifest = scene.files("reads")[0]!;
  const read = JSON.parse(readFileSync(manifest, "utf8")) as { pages: unknown[] };
  writeFileSync(manifest, JSON.stringify({ ...read, pages: [] }));
  await scene.home.load([{ time: 2, event_name: "sign_in" }]);
  const page = JSON.parse(
    readFileSync(
      scene.files("reads").find((name) => name.includes("-file"))!,
      "utf8",
    ),
  ) as { read_id: string };
  writeFileSync(
    join(scene.home.home, "landing/reads", `${page.read_id}.json`),
    JSON.stringify({ ...page, pages: [] }),
  );
  const { code, err } = await scene.home.run(["rebuild"]);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/nothing was changed; --force uses the rebuilt one/),
  ]);
  expect(await scene.home.count("select count(*) from events where event_name = 'sign_in'")).toBe(
    1,
  );
  expect((await scene.home.run(["rebuild", "--force"])).code).toBe(0);
  expect(await scene.home.count("select count(*) from events where event_name = 'sign_in'")).toBe(
    0,
  );
});
