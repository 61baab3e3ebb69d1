import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readManifests, writeManifest } from "../../../pipeline/core/landing/manifests.ts";
import { landPage } from "../../support/land.ts";
import { failureLine } from "../../support/failure.ts";
import { formatLines } from "../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// Damage in the landing folder costs one run a line of error, and no run after it: what the service still has is
// read again.

const start = Date.UTC(2026, 2, 1);
const log = Array.from({ length: 12 }, (_, i) => eventAt(start - 2 * dayMs + i * 4 * hourMs));

let remote: Remote;
let landing: string;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
  landing = join(remote.home.home, "landing");
  await remote.serve(log);
});
afterEach(() => remote[Symbol.asyncDispose]());

const names = (folder: string): string[] =>
  existsSync(join(landing, folder)) ? readdirSync(join(landing, folder)) : [];
const counts = async (): Promise<number[]> => [
  await remote.home.count("select count(*) from events"),
  await remote.home.count("select count(distinct id) from events"),
];

/** Leaves a landed read that was not loaded; returns where its page is. */
async function leave(more: object): Promise<string> {
  const lines = formatLines(log.slice(0, 3).map(({ record }) => record));
  const page = await landPage(landing, Buffer.from(lines), "ndjson");
  await writeManifest(landing, {
    version: 1,
    read_id: "killed",
    run_id: "killed",
    command: "ingest",
    source: "default",
    window_start: "2026-02-27 00:00:00.000",
    window_end: "2026-02-28 00:00:00.000",
    window_ms: dayMs,
    read_at: "2026-03-01 01:00:00.000",
    server_time: null,
    closed: true,
    nightly: true,
    range_start: "2026-02-27 00:00:00.000",
    records_at: null,
    pages: [page],
    ...more,
  });
  return join(landing, "pages", page.sha256.slice(0, 2), `${page.sha256}.zst`);
}

async function leaveDamaged(more: object): Promise<void> {
  truncateSync(await leave(more), 10);
}

const file = { command: "import", nightly: false, window_start: null, window_end: null };

describe("a stored read whose page is damaged", () => {
  it.each([
    [
      "of a scheduled run is read again by the run that finds it",
      {},
      /the next scheduled run of source default, or this one, reads its window again$/,
    ],
    [
      "of a backfill says how to re-read it",
      { nightly: false },
      /run auditlake ingest --source default --from 2026-02-27T00:00:00Z --to 2026-02-28T00:00:00Z to re-read it$/,
    ],
    ["of a file asks for the file", file, /re-import its file$/],
  ])("%s", async (_what, more, advice) => {
    await leaveDamaged(more);
    const { code, err } = await remote.ingest(["--quiet"]);
    expect(code).toBe(6);
    expect(err.match(/^error: .*$/gm)).toEqual([
      expect.stringMatching(
        /^error: landed read killed: landed page .*\.zst cannot be read: .*; its manifest was moved to .*damaged\/killed\.json\.20260301T020000Z; /,
      ),
    ]);
    expect(err.match(/^error: (.*)$/m)![1]).toMatch(advice);
    expect([names("reads").includes("killed.json"), names("damaged")]).toEqual([
      false,
      ["killed.json.20260301T020000Z"],
    ]);
    const again = await remote.ingest(["--quiet"]);
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(await counts()).toEqual([12, 12]);
    expect((await remote.home.run(["doctor", "--no-reports"])).out).toMatch(
      /^warn +set_aside +1 damaged file moved aside, for example landing\/damaged\/killed\.json/m,
    );
  });
});

it("a stored read whose page cannot be opened for another reason stays until that is fixed", async () => {
  const path = await leave({});
  renameSync(path, `${path}.elsewhere`);
  mkdirSync(path);
  const { code, err } = await remote.ingest(["--quiet"]);
  expect([code, err]).toEqual([
    6,
    expect.stringMatching(
      /^error: landed read killed: landed page .*\.zst cannot be read: .*; fix that and run again\n$/,
    ),
  ]);
  expect([names("reads").includes("killed.json"), names("damaged")]).toEqual([true, []]);
  rmdirSync(path);
  renameSync(`${path}.elsewhere`, path);
  expect((await remote.ingest()).err).toContain("loaded 1 read stored by an earlier run");
  expect(await counts()).toEqual([12, 12]);
});

it("a manifest of a newer version stops the run and stays in place", async () => {
  await leave({ version: 2, something: "new" });
  const newer = /killed\.json was written by a newer auditlake; install the newer version$/;
  for (const argv of [["ingest"], ["rebuild"], ["rebuild", "--carry-over", "--force"]]) {
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    expect(failureLine(await remote.home.run(argv, world), 1, [])).toMatch(newer);
  }
  expect([names("reads"), names("damaged")]).toEqual([["killed.json"], []]);
  expect((await remote.home.run(["doctor", "--no-reports"])).out).toMatch(
    /^fail +landing +manifest .*killed\.json was written by a newer auditlake/m,
  );
});

describe("a truncated manifest", () => {
  it("of a loaded read lets the run continue, and rebuild takes the read from the database", async () => {
    expect((await remote.ingest()).code).toBe(0);
    const [first] = readManifests(landing).manifests.filter(({ pages }) => pages.length > 0);
    truncateSync(join(landing, "reads", `${first!.read_id}.json`), 30);
    const doctor = await remote.home.run(["doctor", "--no-reports"]);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(
      /^fail +landing +1 manifest cannot be read, for example that of read /m,
    );
    const { code, err } = await remote.ingest(["--quiet"]);
    expect([code, err]).toEqual([
      6,
      expect.stringMatching(
        /^error: the manifest of read \S+ cannot be read and was moved to .*; its events are in the database, and rebuild --carry-over takes them from there\n$/,
      ),
    ]);
    expect((await remote.ingest(["--quiet"])).code).toBe(0);
    expect((await remote.home.run(["doctor", "--no-reports"])).out).toMatch(
      /^warn +rebuild +1 read without a manifest, for example .*: only the database has them/m,
    );
    expect((await remote.home.run(["rebuild"])).code).toBe(1);
    expect((await remote.home.run(["rebuild", "--carry-over"])).err).toContain("same as before");
    expect(await counts()).toEqual([12, 12]);
  });

  it("of a read that was not loaded is moved aside, and the window is re-read", async () => {
    await leaveDamaged({});
    truncateSync(join(landing, "reads", "killed.json"), 30);
    const { code, err } = await remote.ingest(["--quiet"]);
    expect([code, err]).toEqual([
      6,
      expect.stringMatching(
        /^error: the manifest of read killed .*if it was a backfill or an import, run that again\n$/,
      ),
    ]);
    expect((await remote.ingest(["--quiet"])).code).toBe(0);
    expect(await counts()).toEqual([12, 12]);
  });
});

describe("a stored read with a time after the year 9999, as earlier versions wrote it", () => {
  it.each([
    [
      "of its window",
      { window_start: "9999-12-31 00:00:00.000", window_end: "+010000-01-01 00:00:00.000" },
      "such a window is no longer read",
    ],
    [
      "of the service's clock",
      { server_time: "+011000-01-01 00:00:00.000" },
      "run auditlake ingest --source default --from 2026-02-27T00:00:00Z --to 2026-02-28T00:00:00Z to re-read it",
    ],
  ])(
    "%s is skipped by rebuild, then moved aside by a run and absent afterwards",
    async (_of, more, advice) => {
      expect((await remote.ingest()).code).toBe(0);
      await leave({ nightly: false, ...more });
      const rebuilt = await remote.home.run(["rebuild"]);
      expect([rebuilt.code, rebuilt.err.match(/^warning: .*$/gm)]).toEqual([
        0,
        [
          "warning: left out: landed read killed has a time after the year 9999, which the database cannot store; the next ingest moves it aside",
        ],
      ]);
      remote.clock.nowMs += hourMs;
      const { code, err } = await remote.ingest(["--quiet"]);
      expect([code, err]).toEqual([
        6,
        expect.stringMatching(
          /^error: landed read killed has a time after the year 9999, which the database cannot store; its manifest was moved to .*damaged\/killed\.json\.\w+; .*\n$/,
        ),
      ]);
      expect(err.trimEnd()).toMatch(new RegExp(`; ${advice}$`));
      const after = [await remote.ingest(["--quiet"]), await remote.home.run(["rebuild"])];
      expect(after.map((outcome) => outcome.code)).toEqual([0, 0]);
      expect([names("reads").includes("killed.json"), await counts()]).toEqual([false, [12, 12]]);
    },
  );
});

it("a page that is damaged after loading is reported with the fix, and repaired by a re-read", async () => {
  expect((await remote.ingest()).code).toBe(0);
  const read = readManifests(landing).manifests.find(({ pages }) => pages.length > 0)!;
  const sha256 = read.pages[0]!.sha256;
  const path = join(landing, "pages", sha256.slice(0, 2), `${sha256}.zst`);
  truncateSync(path, 20);
  expect((await remote.home.run(["doctor", "--no-reports"])).out).toMatch(/^ok +landing /m);
  const deep = await remote.home.run(["doctor", "--no-reports", "--deep"]);
  expect(deep.code).toBe(1);
  const [, command] =
    /^fail +landing +landed page .* cannot be read: .*: auditlake (ingest .*)$/m.exec(deep.out)!;
  // The second read of a window asks for other pages: it comes in two parts.
  for (const _ of [1, 2]) expect((await remote.ingest(command!.split(" ").slice(1))).code).toBe(0);
  expect((await remote.home.run(["doctor", "--no-reports", "--deep"])).out).toMatch(
    /^ok +landing .*all pages present and intact$/m,
  );
  expect((await remote.home.run(["rebuild"])).err).toContain("same as before");
});

it("a run removes the temporary files of killed runs, and nothing else", async () => {
  expect((await remote.ingest()).code).toBe(0);
  // Temporary files of pages are next to a journal; the tests of the sweep cover them.
  const drafts = ["reads", "marks", "users", "policies", "pruned"].map(
    (folder) => `${folder}/.ffffffffffff.tmp`,
  );
  const others = ["reads/.notes.tmp", "reads/0123456789ab.tmp", "notes.txt"];
  for (const name of [...drafts, ...others]) {
    mkdirSync(join(landing, dirname(name)), { recursive: true });
    writeFileSync(join(landing, name), "half");
  }
  expect((await remote.ingest()).code).toBe(0);
  expect(drafts.filter((name) => existsSync(join(landing, name)))).toEqual([]);
  expect(others.filter((name) => existsSync(join(landing, name)))).toEqual(others);
});

it("a manifest that is temporarily unreadable stays in place, and the run reports it", async () => {
  await leave({});
  mkdirSync(join(landing, "reads", "later.json"));
  const { code, err } = await remote.ingest();
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^error: cannot read .*later\.json: EISDIR.*; correct the permissions, then run again\n$/,
    ),
  ]);
  expect(names("damaged")).toEqual([]);
  expect(names("reads").sort()).toEqual(["killed.json", "later.json"]);
  expect((await remote.home.run(["doctor", "--no-reports"])).out).toContain("later.json: EISDIR");
  rmdirSync(join(landing, "reads", "later.json"));
  expect((await remote.ingest()).code).toBe(0);
});
