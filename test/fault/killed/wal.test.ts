import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { formatLines, newHome, type TestHome } from "../../support/home.ts";
import { killAfterCommit } from "../../support/killed.ts";
import { newRemote, type Remote } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";

// What a killed writer leaves: a database at its last checkpoint, and a log with all that came after.

const records = (name: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + i,
    event_name: "sign_in",
    id: `${name}-${i}`,
  }));

/** A home whose writer was killed after it had committed a second file. */
async function killedHome(name: string): Promise<TestHome> {
  const home = newHome();
  // The database is created here: copies of one prepared file would take each other's log.
  await home.run(["import", home.write("first.ndjson", formatLines(records(`${name}-first`, 50)))]);
  await killAfterCommit(
    home,
    home.write("second.ndjson", formatLines(records(`${name}-second`, 70))),
  );
  return home;
}

let left: TestHome;
let other: TestHome;
beforeAll(async () => {
  [left, other] = [await killedHome("own"), await killedHome("other")];
}, 60_000);
afterAll(() => {
  left[Symbol.dispose]();
  other[Symbol.dispose]();
});

let remote: Remote;
let wal: string;
beforeEach(async () => {
  remote = await newRemote(Date.UTC(2026, 2, 1));
  await remote.serve([]);
  cpSync(left.home, remote.home.home, { recursive: true });
  chmodSync(remote.home.home, 0o700);
  wal = join(remote.home.home, "warehouse.duckdb.wal");
});
afterEach(() => remote[Symbol.asyncDispose]());

const aside = (): string[] =>
  readdirSync(remote.home.home).filter((name) => name.includes(".corrupt-"));
const counts = async (): Promise<number[]> => [
  await remote.home.count("select count(*) from events"),
  await remote.home.count("select count(distinct id) from events"),
];

it("a complete write-ahead log is replayed", async () => {
  expect(statSync(wal).size).toBeGreaterThan(1000);
  expect(statSync(wal).mode & 0o777).toBe(0o600);
  const { code, err } = await remote.home.run(["publish"]);
  expect([code, err]).toEqual([0, expect.not.stringContaining("renamed")]);
  expect(await counts()).toEqual([120, 120]);
  expect([aside(), existsSync(wal)]).toEqual([[], false]);
});

it("a long write-ahead log is replayed within the configured memory limit", async () => {
  using home = newHome();
  const text = "select column from table where id = 1 ".repeat(20);
  const long = records("long", 15_000).map((record, i) => ({
    ...record,
    query_text: `${i} ${text}`,
  }));
  await killAfterCommit(home, home.write("long.ndjson", formatLines(long)));
  expect(statSync(join(home.home, "warehouse.duckdb.wal")).size).toBeGreaterThan(2_000_000);
  const config = home.write("auditlake.json", '{"memory_limit":"100MB","threads":1}');
  const { code, err } = await home.run(["--config", config, "publish"]);
  expect([code, err]).toEqual([0, expect.not.stringContaining("renamed")]);
  expect(await home.count("select count(*) from events")).toBe(15_000);
});

const damages: Readonly<Record<string, (path: string) => void>> = {
  "torn: its blocks are there, the content is not": (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, bytes.length >> 1));
  },
  "changed by a bit": (path) => {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 2]! ^= 4;
    writeFileSync(path, bytes);
  },
  "of another database": (path) => copyFileSync(join(other.home, "warehouse.duckdb.wal"), path),
  "no log at all": (path) => writeFileSync(path, "no log at all ".repeat(100)),
  "nothing but zeros": (path) => writeFileSync(path, Buffer.alloc(5000)),
};

// One that is damaged within, and one that is whole but of something else.
const some = Object.entries(damages).filter(([what]) => /^(torn|of another)/.test(what));

describe.each(fewOrAll(some, Object.entries(damages)))(
  "a write-ahead log that is %s",
  (_what, damage) => {
    it("is moved aside, and its content is loaded again", async () => {
      damage(wal);
      const bytes = readFileSync(wal);
      const { code, err } = await remote.ingest(["--quiet"]);
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(
          /^warning: .*warehouse\.duckdb\.wal .*was renamed to .*\.wal\.corrupt-20260301T000000Z\n/,
        ),
      ]);
      expect(await counts()).toEqual([120, 120]);
      expect(aside()).toEqual(["warehouse.duckdb.wal.corrupt-20260301T000000Z"]);
      expect(readFileSync(join(remote.home.home, aside()[0]!))).toEqual(bytes);
      expect((await remote.home.run(["doctor", "--no-reports"])).out).toMatch(
        /^warn +set_aside +1 damaged file moved aside, for example warehouse\.duckdb\.wal\.corrupt-/m,
      );
      const again = await remote.ingest();
      expect([again.code, again.err]).toEqual([0, expect.not.stringContaining("renamed")]);
      expect(await counts()).toEqual([120, 120]);
    });
  },
);

it("a truncated write-ahead log is replayed up to the cut, and the rest is loaded again", async () => {
  const size = statSync(wal).size;
  for (const keep of fewOrAll([12, size >> 1, size - 1], [1, 12, 60, size >> 1, size - 1])) {
    copyFileSync(join(left.home, "warehouse.duckdb"), join(remote.home.home, "warehouse.duckdb"));
    copyFileSync(join(left.home, "warehouse.duckdb.wal"), wal);
    truncateSync(wal, keep);
    expect([keep, (await remote.ingest()).code]).toEqual([keep, 0]);
    expect([keep, ...(await counts())]).toEqual([keep, 120, 120]);
  }
});

const replacing: Readonly<Record<string, (second: number) => string[]>> = {
  rebuild: () => ["rebuild"],
  prune: (second) => ["prune", "--before", `2026-01-01T00:00:${10 + second}Z`, "--events", "--yes"],
};

// The database skips an incomplete commit, and leaves it there until it writes. Later in the log is the id of its
// database.
it.each(Object.entries(replacing))(
  "a write-ahead log without a complete commit is removed with the database that %s replaces",
  async (_verb, argvAt) => {
    const log = readFileSync(wal);
    expect((await remote.ingest()).code).toBe(0);
    for (const [i, length] of fewOrAll([12], [1, 2, 3, 7, 12, 20]).entries()) {
      writeFileSync(wal, log.subarray(0, length));
      const { code, err } = await remote.home.run(argvAt(i));
      expect([length, code, err]).toEqual([length, 0, expect.not.stringContaining("renamed")]);
      expect([length, aside(), existsSync(wal)]).toEqual([length, [], false]);
    }
  },
);

it("two damaged write-ahead logs in one second are both retained", async () => {
  for (let n = 0; n < 2; n++) {
    writeFileSync(wal, `no log at all, number ${n}`);
    expect((await remote.ingest()).code).toBe(0);
  }
  expect(aside().sort()).toEqual([
    "warehouse.duckdb.wal.corrupt-20260301T000000Z",
    "warehouse.duckdb.wal.corrupt-20260301T000000Z-2",
  ]);
});

it("an unreadable write-ahead log does not prevent publishing", async () => {
  writeFileSync(wal, "short");
  expect((await remote.home.run(["publish"])).code).toBe(0);
  truncateSync(join(remote.home.home, aside()[0]!), 0);
  expect(await counts()).toEqual([50, 50]);
});
