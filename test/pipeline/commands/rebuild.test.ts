import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { copyOf, newHome, type Row, type TestHome } from "../../support/home.ts";
import { asksFor, dayMs, eventAt, newRemote, type Remote } from "../../support/remote.ts";

const start = Date.UTC(2026, 2, 1);

let made: TestHome;
let remote: Remote;
let home: TestHome;
beforeAll(async () => {
  remote = await newRemote(start);
  made = remote.home;
  // The same log read over four nights, so that windows are finalized and the checkpoint moves.
  await remote.serve(
    Array.from({ length: 40 }, (_, i) => eventAt(start - 6 * dayMs + i * (dayMs / 5))),
  );
  for (let night = 0; night < 4; night++) {
    expect((await remote.ingest()).code).toBe(0);
    remote.clock.nowMs += dayMs;
  }
});
afterAll(() => remote[Symbol.asyncDispose]());
beforeEach(() => void (home = copyOf(made)));
afterEach(() => home[Symbol.dispose]());

/** All that the ledger and the store hold, but for what a rebuild says of itself. */
async function contents(): Promise<Row[][]> {
  return Promise.all([
    home.rows("select * from events order by event_key"),
    home.rows("select * from window_reads order by read_id"),
    home.rows("select * from ingest_pages order by read_id, page"),
    home.rows("select * from quarantine order by quarantine_key"),
    home.rows("select source, finalized_until from checkpoints order by source"),
    home.rows(
      "select run_id, command, windows, pages, fetched, inserted, duplicate, bytes from ingest_runs order by run_id",
    ),
  ]);
}

const files = (path: string): string[] =>
  readdirSync(join(home.home, "landing", path), { recursive: true }).map(String);
const damage = (path: string, name: string): void =>
  truncateSync(join(home.home, "landing", path, name), 20);

it("makes the same database from landing alone: rows, ledger, checkpoint", async () => {
  const before = await contents();
  expect(before[1]!.length).toBeGreaterThan(8);
  const { code, err } = await home.run(["rebuild"]);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/digest [0-9a-f]{32}, equal to the one before\n$/),
  ]);
  expect(await contents()).toEqual(before);
  for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(home.home, file));
  expect((await home.run(["rebuild"])).code).toBe(0);
  expect(await contents()).toEqual(before);
  expect(statSync(join(home.home, "audit.duckdb")).mode & 0o777).toBe(0o440);
});

it("loads reads that were landed and not loaded, and does not take them for a difference", async () => {
  using older = newHome();
  cpSync(join(home.home, "warehouse.duckdb"), join(older.folder, "kept"));
  expect((await home.load([{ time: 1, event_name: "sign_in" }])).code).toBe(0);
  // The warehouse of before that import: what a killed run leaves.
  cpSync(join(older.folder, "kept"), join(home.home, "warehouse.duckdb"));
  const { code, err } = await home.run(["rebuild"]);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/equal to the one before; 1 read loaded that it lacked\n$/),
  ]);
  expect(await home.count("select count(*) from events where event_name = 'sign_in'")).toBe(1);
});

describe("the runs", () => {
  const lastRuns = (json: string): unknown => (JSON.parse(json) as { runs: unknown }).runs;
  const runs = (): Promise<Row[]> => home.rows("select * from ingest_runs order by run_id");
  const night = (env = remote.env()) =>
    home.run(["ingest"], { env, now: () => remote.clock.nowMs });

  it("stay as they were: one that was done in part, one that failed before its first read", async () => {
    const first = Math.floor(remote.clock.nowMs / dayMs) * dayMs - 2 * dayMs;
    remote.fault((request, response) => {
      if (!asksFor(request, first)) return false;
      response.writeHead(404).end();
      return true;
    });
    expect((await night()).code).toBe(6);
    remote.fault(undefined);
    expect((await night({ ...remote.env(), AUDITLAKE_API_KEY: "another" })).code).toBe(4);
    const before = await runs();
    expect(
      before
        .map(({ outcome }) => outcome)
        .sort()
        .slice(-2),
    ).toEqual(["failed", "partial"]);
    const status = (await home.run(["status", "--json"])).out;
    remote.clock.nowMs += dayMs;
    const { code, err } = await home.run(["rebuild"], { now: () => remote.clock.nowMs });
    expect([code, err]).toEqual([0, expect.stringContaining("equal to the one before")]);
    expect(await runs()).toEqual(before);
    const { out } = await home.run(["status", "--json"]);
    expect(lastRuns(out)).toEqual(lastRuns(status));
    remote.clock.nowMs -= dayMs;
  });

  it("end with their last read where no database tells", async () => {
    for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(home.home, file));
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect(
      await home.rows(
        "select run_id from ingest_runs as g where finished_at is distinct from (select max(read_at) from window_reads as r where r.run_id = g.run_id)",
      ),
    ).toEqual([]);
  });
});

describe("a limit for records", () => {
  const long = JSON.stringify({ time: 2, event_name: "sign_in", old_value: "x".repeat(3000) });
  const records = (): string =>
    home.write("long.ndjson", `{"time":1,"event_name":"sign_in"}\n${long}\n`);
  const withLimits = (limits: Readonly<Record<string, number>>, ...argv: string[]) => {
    const sources = Object.fromEntries(
      Object.entries(limits).map(([name, bytes]) => [
        name,
        { limits: { max_record_bytes: bytes } },
      ]),
    );
    const config = home.write("limits.json", JSON.stringify({ sources }));
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    return home.run(["--config", config, ...argv], world);
  };
  const kept = (): Promise<number[]> =>
    Promise.all(
      ["events where event_name = 'sign_in'", "quarantine"].map((what) =>
        home.count(`select count(*) from ${what}`),
      ),
    );

  it.each([1024, 16_777_216])(
    "of a read is that of then, whatever it is by now: %i",
    async (now) => {
      await withLimits({ default: 1024 }, "import", records());
      expect(await kept()).toEqual([1, 1]);
      const before = await contents();
      const { code, err } = await withLimits({ default: now }, "rebuild");
      expect([code, err]).toEqual([0, expect.stringContaining("equal to the one before")]);
      expect(await contents()).toEqual(before);
    },
  );

  it("of a read that waits is its source's own, by whichever run it is loaded", async () => {
    const limits = { default: 1024, other: 10_000 };
    cpSync(join(home.home, "warehouse.duckdb"), join(home.folder, "kept"));
    await withLimits(limits, "--source", "other", "import", records());
    cpSync(join(home.folder, "kept"), join(home.home, "warehouse.duckdb"));
    const night = await withLimits(limits, "--source", "default", "ingest");
    expect([night.code, night.err]).toEqual([0, expect.stringContaining("loaded 1 read that")]);
    expect(await kept()).toEqual([2, 0]);
    expect((await withLimits(limits, "rebuild")).err).toContain("equal to the one before");
    expect(await kept()).toEqual([2, 0]);
  });
});

describe("damage in landing", () => {
  const cases: Readonly<Record<string, [() => void, RegExp]>> = {
    "a page that is cut": [
      () =>
        damage(
          "pages",
          files("pages").find((name) => name.endsWith(".zst"))!,
        ),
      /landed page .*\.zst cannot be read: /,
    ],
    "a page that is gone": [
      () =>
        unlinkSync(
          join(
            home.home,
            "landing/pages",
            files("pages").find((name) => name.endsWith(".zst"))!,
          ),
        ),
      /page [0-9a-f]{64} of read .* is missing/,
    ],
    "a manifest that is cut": [
      () => damage("reads", files("reads")[0]!),
      /manifest .*reads\/.*\.json cannot be read/,
    ],
    "a manifest that is gone": [
      () => unlinkSync(join(home.home, "landing/reads", files("reads")[0]!)),
      /the manifest of read .* is missing/,
    ],
  };

  it.each(Object.entries(cases))(
    "%s: nothing changes, and --carry-over takes it over",
    async (_what, [harm, printed]) => {
      const before = await contents();
      harm();
      const refused = await home.run(["rebuild"]);
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(printed)]);
      expect(refused.err).toMatch(/^error: nothing was changed.*--carry-over takes what it held/);
      expect(await contents()).toEqual(before);
      const { code, err } = await home.run(["rebuild", "--carry-over"]);
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(/equal to the one before; \d+ reads? taken from/),
      ]);
      expect(await contents()).toEqual(before);
    },
  );

  it("that no database can make good is left out under --force alone, and named", async () => {
    damage(
      "pages",
      files("pages").find((name) => name.endsWith(".zst"))!,
    );
    for (const file of ["warehouse.duckdb", "audit.duckdb"]) rmSync(join(home.home, file));
    const refused = await home.run(["rebuild", "--carry-over"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("cannot be read")]);
    const forced = await home.run(["rebuild", "--force"]);
    expect([forced.code, forced.err]).toEqual([
      0,
      expect.stringMatching(/^warning: left out: landed page .*\nrebuilt .*\n$/),
    ]);
    expect(await home.count("select count(*) from events")).toBeGreaterThan(0);
  });
});

it("refuses a database that differs, unless told to take it", async () => {
  const manifest = join(home.home, "landing/reads", files("reads")[0]!);
  const read = JSON.parse(readFileSync(manifest, "utf8")) as { pages: unknown[] };
  writeFileSync(manifest, JSON.stringify({ ...read, pages: [] }));
  await home.load([{ time: 2, event_name: "sign_in" }]);
  const page = JSON.parse(
    readFileSync(
      join(
        home.home,
        "landing/reads",
        files("reads").find((name) => name.includes("-file"))!,
      ),
      "utf8",
    ),
  ) as { read_id: string };
  writeFileSync(
    join(home.home, "landing/reads", `${page.read_id}.json`),
    JSON.stringify({ ...page, pages: [] }),
  );
  const { code, err } = await home.run(["rebuild"]);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/nothing was changed; --force takes the rebuilt one/),
  ]);
  expect(await home.count("select count(*) from events where event_name = 'sign_in'")).toBe(1);
  expect((await home.run(["rebuild", "--force"])).code).toBe(0);
  expect(await home.count("select count(*) from events where event_name = 'sign_in'")).toBe(0);
});
