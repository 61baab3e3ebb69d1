import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import type { Outcome, Row, TestHome } from "../../support/home.ts";
import type { Remote } from "../../support/remote.ts";
import { cut, newScene, type Stage, stageOf } from "./prune/scene.ts";

let remote: Remote;
beforeAll(async () => {
  remote = await newScene();
});
afterAll(() => remote[Symbol.asyncDispose]());

let home: TestHome;
let stage: Stage;
beforeEach(() => {
  stage = stageOf(remote);
  ({ home } = stage);
});
afterEach(() => stage[Symbol.dispose]());

const isOld = `event_time < '${cut}'`;

describe("a dry run", () => {
  it("says what would go and what could not be made anew, and changes nothing", async () => {
    const before = stage.landed();
    const { code, out, err } = await stage.prune("--dry-run");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^would remove what is older than 2026-02-25T00:00:00Z$/m);
    expect(out).toMatch(/^ {2}reads +4 of \d+$/m);
    expect(out).toMatch(/^ {2}windows +3, 2026-02-22 to 2026-02-25$/m);
    expect(out).toMatch(/^ {2}files +1$/m);
    expect(out).toMatch(/^ {2}pages +4, \d+ bytes on disk$/m);
    expect(out).toMatch(/^ {2}events +none; 31 events of that time stay$/m);
    expect(out).toMatch(/anew from landing from 2026-02-25T00:00:00Z\s+on/);
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect((await stage.prune("--dry-run", "--events")).out).toMatch(
      /^ {2}events +31 events\n {2}quarantine +1 record$/m,
    );
    expect(stage.landed()).toEqual(before);
  });

  it("asks nobody and needs no lock", async () => {
    writeFileSync(join(home.home, "run.lock"), "");
    expect((await stage.prune("--dry-run")).code).toBe(0);
  });
});

describe("what is asked for", () => {
  it.each([
    [["--before", "tomorrow"], /is no time/],
    [["--before", "2030-01-01"], /is in the future/],
    [["--source", "typo", "--before", cut], /nothing of source typo was landed; there is default/],
    [
      ["--before", "2026-03-02", "--events"],
      /next ingest of default reads from .* would come back/,
    ],
  ])("%j is refused", async (argv, said) => {
    const before = stage.landed();
    const outcome = await home.run(["prune", "--yes", ...argv], { now: () => remote.clock.nowMs });
    expect(failureLine(outcome, 2, [])).toMatch(said);
    expect(stage.landed()).toEqual(before);
  });

  it("needs --yes where nobody can be asked, and a yes where somebody can", async () => {
    const before = stage.landed();
    const silent = await stage.prune("--quiet");
    expect(failureLine(silent, 2, [])).toContain("needs --yes");
    const ask = async (answer: string): Promise<Outcome> => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      stdin.end(`${answer}\n`);
      return home.run(["prune", "--before", cut], { now: () => remote.clock.nowMs, stdin });
    };
    for (const answer of ["no", "", "yesterday"]) {
      const { code, err } = await ask(answer);
      expect([answer, code, err]).toEqual([
        answer,
        1,
        expect.stringContaining("error: nothing was removed"),
      ]);
    }
    expect(stage.landed()).toEqual(before);
    const { code, err } = await ask("yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/remove it\? .*pruned 4 reads, 4 pages/s),
    ]);
  });
});

describe("pages alone", () => {
  it("go, with a tombstone in their place, and the events stay through a rebuild", async () => {
    const before = { events: await stage.events(), landed: stage.landed() };
    const { code, err } = await stage.prune("--yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /pruned 4 reads, 4 pages \(\d+ bytes\); landing alone gives the database from 2026-02-25T00:00:00Z on\n$/,
      ),
    ]);
    expect(stage.landed()["reads"]).toHaveLength(before.landed["reads"]!.length - 4);
    expect(stage.landed()["pages"]).toHaveLength(before.landed["pages"]!.length - 4);
    expect(stage.landed()["pruned"]).toHaveLength(1);
    expect(await stage.events()).toEqual(before.events);
    const kept = await stage.ledger();
    const rebuilt = await home.run(["rebuild"]);
    expect([rebuilt.code, rebuilt.err]).toEqual([
      0,
      expect.stringMatching(/equal to the one before; 4 reads taken from the database before\n$/),
    ]);
    expect(await stage.events()).toEqual(before.events);
    expect(await stage.ledger()).toEqual(kept);
    expect((await stage.prune("--yes")).err).toMatch(/there is nothing to remove\n$/);
  });

  it("are taken from the published file where the warehouse is gone, and never silently left out", async () => {
    const before = await stage.events();
    await stage.prune("--yes");
    rmSync(join(home.home, "warehouse.duckdb"));
    for (const argv of [["publish"], ["import", home.write("x.ndjson", '{"time":1}\n')]])
      expect(failureLine(await home.run(argv), 1, [])).toMatch(
        /warehouse\.duckdb is missing, and landing no longer has the pages of 4 pruned reads; run auditlake rebuild/,
      );
    expect(await stage.events()).toEqual(before);
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect(await stage.events()).toEqual(before);
    rmSync(join(home.home, "warehouse.duckdb"));
    rmSync(join(home.home, "audit.duckdb"));
    const refused = await home.run(["rebuild"]);
    expect(failureLine(refused, 1, [])).toMatch(
      /3 more of the kind\): read .* was pruned and no database that opens has it; .*--force/,
    );
    const forced = await home.run(["rebuild", "--force"]);
    expect([forced.code, forced.err.match(/left out/g)]).toEqual([0, Array(4).fill("left out")]);
    expect(await home.count(`select count(*) from events where ${isOld}`)).toBe(0);
    const doctor = await home.run(["doctor"]);
    expect(doctor.out).toMatch(/^fail +rebuild +no database has what 4 pruned reads held/m);
  });

  it("are told by status and doctor: from when on landing alone gives the database", async () => {
    expect((await home.run(["doctor"])).out).toMatch(
      /^ok +rebuild +landing alone gives the whole database$/m,
    );
    expect((await home.run(["status"])).out).not.toContain("landing alone");
    await stage.prune("--yes");
    expect((await home.run(["status"])).out).toMatch(
      /^ {2}rebuild +from landing alone from 2026-02-25 00:00:00 on$/m,
    );
    expect(JSON.parse((await home.run(["status", "--json"])).out)).toMatchObject({
      landing: { pruned_before: "2026-02-25T00:00:00Z" },
    });
    expect((await home.run(["doctor", "--deep"])).out).toMatch(
      /^ok +landing +\d+ reads, all pages there and whole$/m,
    );
    expect((await home.run(["doctor"])).out).toMatch(
      /^ok +rebuild +landing alone gives the database from 2026-02-25T00:00:00Z on; only the database has what 4 pruned reads held/m,
    );
  });
});

it("a rebuild classifies events of pruned reads by today's catalog", async () => {
  const file = home.write("new.ndjson", '{"time":1577836800,"event_name":"robot_feed"}\n');
  await home.run(["import", file], { now: () => remote.clock.nowMs });
  await stage.prune("--yes");
  const matches = (): Promise<Row[]> =>
    home.rows("select catalog_match, area from events where event_name = 'robot_feed'");
  expect(await matches()).toEqual([{ catalog_match: "unknown_event", area: null }]);
  const robots = { area: "Robots", events: [{ event: "robot_feed", trigger: "a robot is fed" }] };
  home.write("robots.json", JSON.stringify(robots));
  const config = home.write(
    "auditlake.json",
    JSON.stringify({ catalog: { extra: "robots.json" } }),
  );
  const rebuilt = await home.run(["--config", config, "rebuild"]);
  expect([rebuilt.code, rebuilt.err]).toEqual([
    0,
    expect.stringContaining("equal to the one before"),
  ]);
  expect(await matches()).toEqual([{ catalog_match: "non_http_trigger", area: "Robots" }]);
});

describe("a page that no read names", () => {
  const nameless = `pages/00/${"0".repeat(64)}.zst`;
  const isThere = (): boolean => stage.names("pages").some((name) => nameless.endsWith(name));
  beforeEach(() => {
    mkdirSync(join(home.home, "landing/pages/00"), { recursive: true });
    writeFileSync(join(home.home, "landing", nameless), "left by a killed run");
  });

  it("goes with the others", async () => {
    expect((await stage.prune("--yes")).err).toMatch(/pruned 4 reads, 5 pages/);
    expect(isThere()).toBe(false);
  });

  it("goes where nothing else is to go", async () => {
    await stage.prune("--yes");
    writeFileSync(join(home.home, "landing", nameless), "left by a killed run");
    expect((await stage.prune("--yes")).err).toMatch(/pruned 0 reads, 1 page /);
    expect(isThere()).toBe(false);
  });

  it("stays while a manifest is set aside: somebody may repair it", async () => {
    mkdirSync(join(home.home, "landing/damaged"));
    writeFileSync(join(home.home, "landing/damaged/read.json.20260301T000000Z"), "cut");
    expect((await stage.prune("--dry-run")).out).toMatch(/^1 page that no read names: they stay/m);
    expect((await stage.prune("--yes")).err).toMatch(/pruned 4 reads, 4 pages/);
    expect(isThere()).toBe(true);
  });
});

it("a page that a kept read has, too, stays", async () => {
  const read = stage.names("reads").find((name) => name.includes("20260222"))!;
  const old = JSON.parse(readFileSync(join(home.home, "landing/reads", read), "utf8")) as {
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
  writeFileSync(join(home.home, "landing/reads", "young.json"), JSON.stringify(young));
  expect((await home.run(["rebuild"])).code).toBe(0);
  const { out } = await stage.prune("--dry-run");
  expect(out).toContain("1 page shared with kept reads: they stay.");
  expect((await stage.prune("--yes")).err).toMatch(/pruned 4 reads, 3 pages/);
  expect(stage.names("pages").filter((name) => name.includes(sha256))).toHaveLength(1);
  expect((await home.run(["rebuild"])).err).toContain("equal to the one before");
});
