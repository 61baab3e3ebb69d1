import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { describe, expect, it, vi } from "vitest";
import { dayMs } from "../../support/remote.ts";
import { failureLine } from "../../support/failure.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import type { Row } from "../../support/rows.ts";
import { testKey } from "../../support/key.ts";
import { isOld, newScene, startMs } from "../../pipeline/cli/prune/scene.ts";

const scene = newScene();
const nowhere = { AUDITLAKE_BASE_URL: "http://127.0.0.1:9", AUDITLAKE_API_KEY: testKey };

describe("prune of pages only", () => {
  it("makes rebuild take the events from the published file if the warehouse is missing, and never drop them", async () => {
    const before = await scene.stage.events();
    await scene.stage.prune("--yes");
    rmSync(join(scene.home.home, "warehouse.duckdb"));
    for (const argv of [["publish"], ["import", scene.home.write("x.ndjson", '{"time":1}\n')]])
      expect(failureLine(await scene.home.run(argv), 1, [])).toMatch(
        /warehouse\.duckdb is missing, and landing no longer has the pages of 4 pruned reads; run auditlake rebuild/,
      );
    expect(await scene.stage.events()).toEqual(before);
    expect((await scene.home.run(["rebuild"])).code).toBe(0);
    expect(await scene.stage.events()).toEqual(before);
    rmSync(join(scene.home.home, "warehouse.duckdb"));
    rmSync(join(scene.home.home, "audit.duckdb"));
    const refused = await scene.home.run(["rebuild"]);
    expect(failureLine(refused, 1, [])).toMatch(
      /3 more like it\): read .* was pruned and is in no readable database; .*--force/,
    );
    const forced = await scene.home.run(["rebuild", "--force"]);
    expect([forced.code, forced.err.match(/left out/g)]).toEqual([0, Array(4).fill("left out")]);
    expect(await scene.home.count(`select count(*) from events where ${isOld}`)).toBe(0);
    const doctor = await scene.home.run(["doctor", "--no-reports"]);
    expect(doctor.out).toMatch(/^fail +rebuild +the events of 4 pruned reads are in no database/m);
  });

  it("is shown by status and doctor as the time from which landing alone rebuilds the database", async () => {
    expect((await scene.home.run(["doctor", "--no-reports"])).out).toMatch(
      /^ok +rebuild +the complete database can be rebuilt from landing$/m,
    );
    expect((await scene.home.run(["status"])).out).not.toContain("landing alone");
    await scene.stage.prune("--yes");
    expect((await scene.home.run(["status"])).out).toMatch(
      /^ {2}rebuild +from landing alone only since 2026-02-25 00:00:00$/m,
    );
    expect(JSON.parse((await scene.home.run(["status", "--json"])).out)).toMatchObject({
      landing: { pruned_before: "2026-02-25T00:00:00Z" },
    });
    expect((await scene.home.run(["doctor", "--no-reports", "--deep"])).out).toMatch(
      /^ok +landing +\d+ reads, all pages present and intact$/m,
    );
    expect((await scene.home.run(["doctor", "--no-reports"])).out).toMatch(
      /^ok +rebuild +the database can be rebuilt from landing from 2026-02-25T00:00:00Z on; only the database has the events of 4 pruned reads/m,
    );
  });
});

it("after the events were pruned, too, needs no database for a rebuild", async () => {
  using home = newHome();
  const at = (day: number): object => ({
    time: Date.UTC(2026, 2, day) / 1000,
    event_name: "job_kill",
  });
  for (const records of [[at(1)], [at(2), at(8)]]) await home.load(records);
  const prune = ["prune", "--events", "--before", "2026-03-05", "--yes"];
  expect((await home.run(prune)).code).toBe(0);
  const days = "select event_date from events order by all";
  const before = await home.rows(days);
  expect(before).toHaveLength(1);
  for (const name of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(home.home, name));
  expect(failureLine(await home.run(["publish"]), 1, [])).toMatch(
    /of 1 pruned reads; run auditlake rebuild, which rebuilds it from the stored pages, and lists/,
  );
  const rebuilt = await home.run(["rebuild"]);
  expect([rebuilt.code, rebuilt.err]).toEqual([0, expect.not.stringMatching(/left out/)]);
  expect(await home.rows(days)).toEqual(before);
  expect((await home.run(["rebuild"])).code).toBe(0);
});

describe("data of a prune stays deleted after an older database is restored", () => {
  const days = "select event_date from events order by all";
  const both = ["audit.duckdb", "warehouse.duckdb"] as const;
  const ingest = ["ingest", "--from", "1d"];

  /** A home with files restored from before a prune, and from before a read; the days that the prune left. */
  async function putBack(home: TestHome, names: readonly string[]): Promise<readonly Row[]> {
    const at = (day: number): object => ({ time: Date.UTC(2026, 2, day) / 1000, event_name: "a" });
    const older = (name: string): string => join(home.folder, name);
    await home.load([at(1), at(8)]);
    for (const name of both) copyFileSync(join(home.home, name), older(name));
    await home.load([at(2), at(9)]);
    const prune = ["prune", "--events", "--before", "2026-03-05", "--yes"];
    expect((await home.run(prune)).code).toBe(0);
    const kept = await home.rows(days);
    expect(kept).toHaveLength(2);
    for (const name of both) rmSync(join(home.home, name));
    for (const name of names) copyFileSync(older(name), join(home.home, name));
    return kept;
  }

  it.each([
    ["the published file alone", ["audit.duckdb"], [["rebuild", "--carry-over"]]],
    ["both files", both, [["publish"], ["rebuild"]]],
    ["both files, and a run", both, [ingest]],
  ] as const)("%s", async (_of, names, verbs) => {
    using home = newHome();
    const kept = await putBack(home, names);
    for (const argv of [...verbs, ["rebuild"]]) {
      const { code, err } = await home.run(argv, { env: nowhere });
      // Stored reads are loaded before the service is requested, and this test has no service.
      expect([argv, code, err]).toEqual([argv, argv[0] === "ingest" ? 1 : 0, err]);
    }
    expect(await home.rows(days)).toEqual(kept);
  });

  it("a prune that is interrupted between both steps is finished by the next run", async () => {
    using home = newHome();
    const kept = await putBack(home, both);
    expect((await home.run(["publish"])).code).toBe(0);
    const run = Reflect.get(DuckDBConnection.prototype, "run") as DuckDBConnection["run"];
    const spy = vi.spyOn(DuckDBConnection.prototype, "run");
    spy.mockImplementation(function (this: DuckDBConnection, sql, ...rest) {
      if (sql.includes("delete from event_rows\nwhere event_time <")) throw new Error("broken off");
      return run.call(this, sql, ...rest);
    });
    try {
      expect((await home.run(ingest, { env: nowhere })).err).toContain("broken off");
    } finally {
      spy.mockRestore();
    }
    expect(await home.rows(days)).toHaveLength(3);
    for (const verb of ["publish", "rebuild"]) expect((await home.run([verb])).code).toBe(0);
    expect(await home.rows(days)).toEqual(kept);
  });
});

it("a page that a retained read shares stays", async () => {
  const read = scene.stage.names("reads").find((name) => name.includes("20260222"))!;
  const old = JSON.parse(readFileSync(join(scene.home.home, "landing/reads", read), "utf8")) as {
    pages: { sha256: string }[];
  };
  const sha256 = old.pages[0]!.sha256;
  const young = {
    ...old,
    read_id: "young",
    run_id: "young",
    window_start: "2026-02-26 00:00:00.000",
    window_end: "2026-02-27 00:00:00.000",
  };
  writeFileSync(join(scene.home.home, "landing/reads", "young.json"), JSON.stringify(young));
  expect((await scene.home.run(["rebuild"])).code).toBe(0);
  const { out } = await scene.stage.prune("--dry-run");
  expect(out).toContain("1 file of pages shared with retained reads: not removed.");
  expect((await scene.stage.prune("--yes")).err).toMatch(/pruned 4 reads, 3 files of pages/);
  expect(scene.stage.names("pages").filter((name) => name.includes(sha256))).toHaveLength(1);
  expect((await scene.home.run(["rebuild"])).err).toContain("same as before");
});

describe("prune of events", () => {
  it("lets a re-read of that time bring them back, and they survive a rebuild", async () => {
    await scene.stage.prune("--events", "--yes");
    const file = scene.home.write(
      "again.ndjson",
      `{"time":${(startMs - 7 * dayMs) / 1000},"event_name":"sign_in"}\n`,
    );
    await scene.home.run(["import", file], { now: () => scene.remote.clock.nowMs + 1000 });
    expect(await scene.home.count(`select count(*) from events where ${isOld}`)).toBe(1);
    const kept = await scene.stage.events();
    expect((await scene.home.run(["rebuild"])).err).toContain("same as before");
    expect(await scene.stage.events()).toEqual(kept);
  });

  it("deletes them after their pages, and they stay deleted after a rebuild", async () => {
    await scene.stage.prune("--yes");
    expect((await scene.stage.prune("--events", "--yes")).err).toMatch(
      /pruned 0 reads, 0 files of pages \(0 bytes\), 31 events; /,
    );
    expect(await scene.home.count(`select count(*) from events where ${isOld}`)).toBe(0);
    expect((await scene.home.run(["rebuild"])).err).toContain("same as before");
    expect(await scene.home.count(`select count(*) from events where ${isOld}`)).toBe(0);
  });
});
