import { cpSync, rmSync, truncateSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Row } from "../../support/rows.ts";
import { asksFor, dayMs } from "../../support/remote.ts";
import { newRebuildScene } from "../../pipeline/cli/rebuild/scene.ts";

const scene = newRebuildScene();

describe("ingest_runs after a rebuild", () => {
  const lastRuns = (json: string): unknown => (JSON.parse(json) as { runs: unknown }).runs;
  const runs = (): Promise<Row[]> => scene.home.rows("select * from ingest_runs order by run_id");
  const run = (env = scene.remote.env()) =>
    scene.home.run(["ingest"], { env, now: () => scene.remote.clock.nowMs });

  it("keeps partial runs and runs that failed before their first read", async () => {
    const first = Math.floor(scene.remote.clock.nowMs / dayMs) * dayMs - 2 * dayMs;
    scene.remote.fault((request, response) => {
      if (!asksFor(request, first)) return false;
      response.writeHead(404).end();
      return true;
    });
    expect((await run()).code).toBe(6);
    scene.remote.fault(undefined);
    expect((await run({ ...scene.remote.env(), AUDITLAKE_API_KEY: "another" })).code).toBe(4);
    const before = await runs();
    expect(
      before
        .map(({ outcome }) => outcome)
        .sort()
        .slice(-2),
    ).toEqual(["failed", "partial"]);
    const status = (await scene.home.run(["status", "--json"])).out;
    scene.remote.clock.nowMs += dayMs;
    const { code, err } = await scene.home.run(["rebuild"], {
      now: () => scene.remote.clock.nowMs,
    });
    expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
    expect(await runs()).toEqual(before);
    const { out } = await scene.home.run(["status", "--json"]);
    expect(lastRuns(out)).toEqual(lastRuns(status));
    scene.remote.clock.nowMs -= dayMs;
  });

  it("has the end of each run's last read if no database is available", async () => {
    for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(scene.home.home, file));
    expect((await scene.home.run(["rebuild"])).code).toBe(0);
    expect(
      await scene.home.rows(
        "select run_id from ingest_runs as g where finished_at is distinct from (select max(read_at) from window_reads as r where r.run_id = g.run_id)",
      ),
    ).toEqual([]);
  });
});

describe("a limit for the size of records", () => {
  const long = JSON.stringify({ time: 2, event_name: "sign_in", old_value: "x".repeat(3000) });
  const records = (): string =>
    scene.home.write("long.ndjson", `{"time":1,"event_name":"sign_in"}\n${long}\n`);
  const withLimits = (limits: Readonly<Record<string, number>>, ...argv: string[]) => {
    const sources = Object.fromEntries(
      Object.entries(limits).map(([name, bytes]) => [
        name,
        { limits: { max_record_bytes: bytes } },
      ]),
    );
    const config = scene.home.write("limits.json", JSON.stringify({ sources }));
    const world = { env: scene.remote.env(), now: () => scene.remote.clock.nowMs };
    return scene.home.run(["--config", config, ...argv], world);
  };
  const listKept = (): Promise<number[]> =>
    Promise.all(
      ["events where event_name = 'sign_in'", "quarantine"].map((what) =>
        scene.home.count(`select count(*) from ${what}`),
      ),
    );

  it.each([1024, 16_777_216])(
    "applies to a stored read as it was at the time of the read, not as it is now: %i",
    async (now) => {
      await withLimits({ default: 1024 }, "import", records());
      expect(await listKept()).toEqual([1, 1]);
      const before = await scene.contents();
      const { code, err } = await withLimits({ default: now }, "rebuild");
      expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
      expect(await scene.contents()).toEqual(before);
    },
  );

  it("applies to a pending read by its own source, regardless of the loading run", async () => {
    const limits = { default: 1024, other: 10_000 };
    cpSync(join(scene.home.home, "warehouse.duckdb"), join(scene.home.folder, "kept"));
    await withLimits(limits, "--source", "other", "import", records());
    cpSync(join(scene.home.folder, "kept"), join(scene.home.home, "warehouse.duckdb"));
    const run = await withLimits(limits, "--source", "default", "ingest");
    expect([run.code, run.err]).toEqual([0, expect.stringContaining("loaded 1 read stored by")]);
    expect(await listKept()).toEqual([2, 0]);
    expect((await withLimits(limits, "rebuild")).err).toContain("same as before");
    expect(await listKept()).toEqual([2, 0]);
  });
});

describe("damage in landing", () => {
  const cases: Readonly<Record<string, [() => void, RegExp]>> = {
    "a page that is cut": [
      () => truncateSync(scene.page(), 20),
      /landed page .*\.zst cannot be read: /,
    ],
    "a page that is gone": [
      () => unlinkSync(scene.page()),
      /page [0-9a-f]{64} of read .* is missing/,
    ],
    "a manifest that is cut": [
      () => truncateSync(scene.files("reads")[0]!, 20),
      /manifest .*reads\/.*\.json cannot be read/,
    ],
    "a manifest that is gone": [
      () => unlinkSync(scene.files("reads")[0]!),
      /the manifest of read .* is missing/,
    ],
  };

  it.each(Object.entries(cases))(
    "of kind %s changes nothing, and --carry-over takes the events from the database",
    async (_what, [harm, printed]) => {
      const before = await scene.contents();
      harm();
      const refused = await scene.home.run(["rebuild"]);
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(printed)]);
      expect(refused.err).toMatch(/^error: nothing was changed.*--carry-over to take its events/);
      expect(await scene.contents()).toEqual(before);
      const { code, err } = await scene.home.run(["rebuild", "--carry-over"]);
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(/same as before; \d+ reads? taken from/),
      ]);
      expect(await scene.contents()).toEqual(before);
    },
  );
});
