import { PassThrough } from "node:stream";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import { copyOf, type Outcome, type Row, type TestHome } from "../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

const start = Date.UTC(2026, 2, 1);
// The windows of 22 to 25 February are read by the first run alone, later ones again and again.
const cut = "2026-02-25";
const marker = "PLANTED-7f3a";
const isOld = `event_time < '${cut}'`;

let remote: Remote;
let home: TestHome;
beforeAll(async () => {
  remote = await newRemote(start);
  const old = (hours: number) =>
    eventAt(start - 7 * dayMs + hours * hourMs, 0, { old_value: `${marker}-${hours}` });
  const young = (hours: number) => eventAt(start - 4 * dayMs + hours * hourMs, 0);
  await remote.serve([
    ...Array.from({ length: 30 }, (_, i) => old(2 * i)),
    ...Array.from({ length: 40 }, (_, i) => young(2 * i)),
  ]);
  const first = await remote.ingest(["--from", "2026-02-22", "--to", "2026-02-27"]);
  expect(first.code).toBe(0);
  for (let night = 0; night < 3; night++) {
    expect((await remote.ingest()).code).toBe(0);
    remote.clock.nowMs += dayMs;
  }
  const broken = `{"time":${(start - 7 * dayMs) / 1000},"event_name":"sign_in","old_value":"${marker}-file"}\n{"${marker}":`;
  const file = remote.home.write("old.ndjson", `${broken}\n`);
  expect((await remote.home.run(["import", file], { now: () => remote.clock.nowMs })).code).toBe(0);
});
afterAll(() => remote[Symbol.asyncDispose]());
beforeEach(() => void (home = copyOf(remote.home)));
afterEach(() => home[Symbol.dispose]());

function prune(...argv: string[]): Promise<Outcome> {
  return home.run(["prune", "--before", cut, ...argv], { now: () => remote.clock.nowMs });
}
const names = (path: string): string[] => {
  const folder = join(home.home, "landing", path);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\.(json|zst)$/.test(name))
    .sort();
};
const landed = (): Record<string, string[]> =>
  Object.fromEntries(["reads", "pages", "pruned"].map((path) => [path, names(path)]));
const events = (): Promise<Row[]> => home.rows("select * from events order by event_key");
const ledger = (): Promise<Row[][]> =>
  Promise.all([
    home.rows("select * from window_reads order by read_id"),
    home.rows("select * from ingest_pages order by read_id, page"),
    home.rows(
      "select run_id, command, windows, pages, fetched, inserted, bytes from ingest_runs order by run_id",
    ),
    home.rows("select * from prunes order by prune_id"),
    home.rows("select * from pruned_reads order by read_id"),
    home.rows("select source, sealed_until from checkpoints"),
    home.rows("select * from quarantine order by quarantine_key"),
  ]);

/** Where the planted text still stands: in the bytes of a database, or in a landed page. */
function planted(): string[] {
  const databases = readdirSync(home.home).filter((name) => name.includes(".duckdb"));
  const pages = names("pages").map((name) => join("landing/pages", name));
  return [...databases, ...pages].filter((name) => {
    const bytes = readFileSync(join(home.home, name));
    return (name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).includes(marker);
  });
}

describe("a dry run", () => {
  it("says what would go and what could not be made anew, and changes nothing", async () => {
    const before = landed();
    const { code, out, err } = await prune("--dry-run");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^would remove what is older than 2026-02-25T00:00:00Z$/m);
    expect(out).toMatch(/^ {2}reads +4 of \d+$/m);
    expect(out).toMatch(/^ {2}windows +3, 2026-02-22 to 2026-02-25$/m);
    expect(out).toMatch(/^ {2}files +1$/m);
    expect(out).toMatch(/^ {2}pages +4, \d+ bytes on disk$/m);
    expect(out).toMatch(/^ {2}events +none; 31 events of that time stay$/m);
    expect(out).toMatch(/anew from landing from 2026-02-25T00:00:00Z\s+on/);
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect((await prune("--dry-run", "--events")).out).toMatch(
      /^ {2}events +31 events\n {2}quarantine +1 record$/m,
    );
    expect(landed()).toEqual(before);
  });

  it("asks nobody and needs no lock", async () => {
    writeFileSync(join(home.home, "run.lock"), "");
    expect((await prune("--dry-run")).code).toBe(0);
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
    const before = landed();
    const outcome = await home.run(["prune", "--yes", ...argv], { now: () => remote.clock.nowMs });
    expect(failureLine(outcome, 2, [])).toMatch(said);
    expect(landed()).toEqual(before);
  });

  it("needs --yes where nobody can be asked, and a yes where somebody can", async () => {
    const before = landed();
    const silent = await prune("--quiet");
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
    expect(landed()).toEqual(before);
    const { code, err } = await ask("yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/remove it\? .*pruned 4 reads, 4 pages/s),
    ]);
  });
});

describe("pages alone", () => {
  it("go, with a tombstone in their place, and the events stay through a rebuild", async () => {
    const before = { events: await events(), landed: landed() };
    const { code, err } = await prune("--yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /pruned 4 reads, 4 pages \(\d+ bytes\); landing alone gives the database from 2026-02-25T00:00:00Z on\n$/,
      ),
    ]);
    expect(landed()["reads"]).toHaveLength(before.landed["reads"]!.length - 4);
    expect(landed()["pages"]).toHaveLength(before.landed["pages"]!.length - 4);
    expect(landed()["pruned"]).toHaveLength(1);
    expect(await events()).toEqual(before.events);
    const kept = await ledger();
    const rebuilt = await home.run(["rebuild"]);
    expect([rebuilt.code, rebuilt.err]).toEqual([
      0,
      expect.stringMatching(/equal to the one before; 4 reads taken from the database before\n$/),
    ]);
    expect(await events()).toEqual(before.events);
    expect(await ledger()).toEqual(kept);
    expect((await prune("--yes")).err).toMatch(/there is nothing to remove\n$/);
  });

  it("are taken from the published file where the warehouse is gone, and never silently left out", async () => {
    const before = await events();
    await prune("--yes");
    rmSync(join(home.home, "warehouse.duckdb"));
    for (const argv of [["publish"], ["import", home.write("x.ndjson", '{"time":1}\n')]])
      expect(failureLine(await home.run(argv), 1, [])).toMatch(
        /warehouse\.duckdb is missing, and landing no longer has the pages of 4 pruned reads; run auditlake rebuild/,
      );
    expect(await events()).toEqual(before);
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect(await events()).toEqual(before);
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

  it("are told by doctor: from when on landing alone gives the database", async () => {
    expect((await home.run(["doctor"])).out).toMatch(
      /^ok +rebuild +landing alone gives the whole database$/m,
    );
    await prune("--yes");
    expect((await home.run(["doctor", "--deep"])).out).toMatch(
      /^ok +landing +\d+ reads, all pages there and whole$/m,
    );
    expect((await home.run(["doctor"])).out).toMatch(
      /^ok +rebuild +landing alone gives the database from 2026-02-25T00:00:00Z on; only the database has what 4 pruned reads held/m,
    );
  });
});

describe("events, too", () => {
  it("go from every file, and neither rebuild nor the next night brings them back", async () => {
    const young = await home.rows(`select * from events where not ${isOld} order by event_key`);
    expect(planted().length).toBeGreaterThan(3);
    const { code, err } = await prune("--events", "--yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/pruned 4 reads, 4 pages \(\d+ bytes\), 31 events; /),
    ]);
    expect(planted()).toEqual([]);
    expect(await events()).toEqual(young);
    expect(await home.count("select count(*) from quarantine")).toBe(0);
    const kept = await ledger();
    expect((await home.run(["rebuild"])).code).toBe(0);
    expect([await events(), await ledger()]).toEqual([young, kept]);
    const night = { env: remote.env(), now: () => remote.clock.nowMs };
    expect((await home.run(["ingest"], night)).code).toBe(0);
    expect(await home.count(`select count(*) from events where ${isOld}`)).toBe(0);
    expect(kept[3]).toMatchObject([
      { with_events: true, reads: "4", events: "31", quarantined: "1" },
    ]);
  });

  it("come back where somebody reads that time again, and stay through a rebuild", async () => {
    await prune("--events", "--yes");
    const file = home.write(
      "again.ndjson",
      `{"time":${(start - 7 * dayMs) / 1000},"event_name":"sign_in"}\n`,
    );
    await home.run(["import", file], { now: () => remote.clock.nowMs + 1000 });
    expect(await home.count(`select count(*) from events where ${isOld}`)).toBe(1);
    const kept = await events();
    expect((await home.run(["rebuild"])).err).toContain("equal to the one before");
    expect(await events()).toEqual(kept);
  });

  it("stay while a landed read is not loaded, which would bring them back", async () => {
    const all = await events();
    const [manifest] = names("reads");
    const path = join(home.home, "landing/reads", manifest!);
    const read = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(
      join(home.home, "landing/reads", "left.json"),
      JSON.stringify({ ...read, read_id: "left" }),
    );
    const { code, err } = await prune("--events", "--yes");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /1 read landed but not loaded yet: never pruned.*error: nothing was removed: 1 landed reads are not loaded/s,
      ),
    ]);
    expect(await events()).toEqual(all);
    expect((await prune("--yes")).code).toBe(0);
    expect(names("reads")).toContain("left.json");
  });
});

it("a page that a kept read has, too, stays", async () => {
  const read = names("reads").find((name) => name.includes("20260222"))!;
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
  const { out } = await prune("--dry-run");
  expect(out).toContain("1 page shared with kept reads: they stay.");
  expect((await prune("--yes")).err).toMatch(/pruned 4 reads, 3 pages/);
  expect(names("pages").filter((name) => name.includes(sha256))).toHaveLength(1);
  expect((await home.run(["rebuild"])).err).toContain("equal to the one before");
});
