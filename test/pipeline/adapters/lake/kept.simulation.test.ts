import { createHash } from "node:crypto";
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { failureLine } from "../../../support/failure.ts";
import type { TestHome } from "../../../support/home.ts";
import { eventAt, newRemote } from "../../../support/remote.ts";
import { askLake, readFiles, readVersions } from "./reader.ts";
import type { Outcome } from "../../../support/command.ts";
import { eventsAtHome, eventsInLake, listRecords } from "./scene.ts";
import { onePublication } from "./one-publication.ts";

const scene = onePublication();
const { fileOf } = scene;
const now = (): number => Date.parse("2026-06-01T00:00:00Z");

const prune = ["prune", "--events", "--before", "2026-03-02", "--yes"];

/** Prunes as an operator who had given the lake up, and takes it up again: nothing is retained for it. */
async function pruneWithoutLake(): Promise<Outcome> {
  const [folder, aside] = ["lake", "lake-aside"].map((name) => join(scene.home.home, name));
  renameSync(folder!, aside!);
  const outcome = await scene.home.run(prune, { now });
  renameSync(aside!, folder!);
  return outcome;
}

describe("events that prune deleted from the database", () => {
  it("stay in the lake, and later copies of them count once", async () => {
    const before = await eventsInLake(scene.home.root);
    const pruned = await pruneWithoutLake();
    expect([pruned.code, pruned.err]).toEqual([0, expect.stringContaining(", 8 events;")]);
    expect(await eventsAtHome(scene.home)).toHaveLength(8);
    const { err } = await scene.home.lake("publish", "--full");
    expect(await eventsInLake(scene.home.root)).toEqual(before);
    expect(err).not.toMatch(/nothing changed/);
    // Half of the day comes again, and one event that is new.
    await scene.home.load([...listRecords(0, "a", 4), ...listRecords(0, "new", 1)]);
    await scene.home.lake("publish");
    const after = (await eventsInLake(scene.home.root))!;
    expect(after.filter((event) => before!.includes(event))).toEqual(before);
    expect(after).toHaveLength(17);
    expect((await scene.home.lake("verify")).code).toBe(0);
    expect((await scene.home.lake("publish")).err).toMatch(/nothing changed/);
  });
});

describe("prune with a lake", () => {
  const spans =
    "select source, subject_kind, subject_id, origin, operation, valid_from, valid_to from permission_spans order by all";

  it("retains the events that rights depend on, so that rights stay unchanged in home and lake", async () => {
    const at = (second: number): number => Date.parse("2026-03-01T12:00:00Z") / 1000 + second;
    const right = {
      resource_name: "Analysts",
      resource_id: "7",
      user_id: 1,
      email: "boss@example.com",
    };
    const rights = [
      { time: at(0), id: "r1", event_name: "permission_policy_create", ...right },
      {
        time: at(60),
        id: "r2",
        event_name: "permission_policy_attach_user",
        ...right,
        affected_user: "user1@example.com",
        affected_user_id: 101,
      },
    ];
    await scene.home.load(rights);
    const before = await scene.home.rows(spans);
    expect(before.length).toBeGreaterThan(0);
    expect((await scene.home.lake("publish")).code).toBe(0);
    const stored = (await eventsAtHome(scene.home)).length;
    const withLake = ["--config", scene.home.config, ...prune];
    const { code, err } = await scene.home.run(withLake, { now });
    const went = stored - (await eventsAtHome(scene.home)).length;
    expect([code, err]).toEqual([0, expect.stringContaining(`, ${went} events;`)]);
    expect((await scene.home.run(withLake, { now })).err).toMatch(/nothing/);
    expect(await scene.home.rows(spans)).toEqual(before);
    // Sign-ins are not permissions, and are deleted.
    expect(
      await scene.home.count(
        "select count(*) from events where event_name = 'sign_in' and event_date < date '2026-03-02'",
      ),
    ).toBe(0);
    await scene.home.lake("publish");
    const inLake = await askLake(
      scene.home.root,
      "permission_span_rows",
      "concat_ws('|', subject_id, operation)",
    );
    expect(inLake).toHaveLength(before.length);
    expect(await eventsInLake(scene.home.root)).toHaveLength(18);
  });
});

describe("ingest --lake", () => {
  it("publishes the new reads into the lake, and reports when it cannot", async () => {
    await using remote = await newRemote(Date.parse("2026-03-10T12:00:00Z"));
    await remote.serve([eventAt(Date.parse("2026-03-10T08:00:00Z"), 0)]);
    const place = join(remote.home.folder, "lake");
    const config = (location: string): string[] => [
      "--config",
      remote.home.write("lake.json", JSON.stringify({ lake: { location } })),
    ];
    const publishTo = (location: string): ReturnType<TestHome["run"]> =>
      remote.home.run([...config(location), "ingest", "--lake"], {
        env: remote.env(),
        now: () => remote.clock.nowMs,
      });
    const { code, err } = await publishTo(place);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^lake: publication 2, \d+ tables changed/m),
    ]);
    expect(await eventsInLake(place)).toHaveLength(1);
    const file = remote.home.write("a-file", "");
    const failed = await publishTo(join(file, "lake"));
    expect([failed.code, failed.err]).toEqual([
      6,
      expect.stringMatching(
        /^error: the loaded events are not in the lake: lake\.location .* is not a folder/m,
      ),
    ]);
  });

  it("reports a missing lake before anything is read", async () => {
    const config = scene.home.write("none.json", "{}");
    const outcome = await scene.home.run(["--config", config, "ingest", "--lake"]);
    expect(failureLine(outcome, 2, [])).toMatch(/no lake: .*none\.json has no lake; add one/);
  });
});

const readSha256 = (path: string): string =>
  createHash("sha256").update(readFileSync(path)).digest("hex");

// Rewrites the entries of the table's log as who may write to the lake could.
function inLog(from: string, to: string): void {
  const log = join(scene.home.root, "event_rows", "_delta_log");
  const entries = readdirSync(log).filter((name) => name.endsWith(".json"));
  const texts = entries.map((name) => [join(log, name), readFileSync(join(log, name), "utf8")]);
  const named = texts.filter(([, text]) => text!.includes(from));
  expect(named.length).toBeGreaterThan(0);
  for (const [entry, text] of named) writeFileSync(entry!, text!.replaceAll(from, to));
}

describe("lake verify", () => {
  it("confirms the published files and rows", async () => {
    const { code, out } = await scene.home.lake("verify");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^event_rows: 2 parts, 16 rows, all match\n/),
    ]);
  });

  it.each([
    [
      "a file of other bytes",
      (path: string) => appendFileSync(path, "x"),
      /has changed since it was published/,
    ],
    [
      "a file that is gone",
      (path: string) => rmSync(path),
      /is missing; run auditlake --config \S+ lake publish --full, which rewrites its day/,
    ],
    [
      "a file of other bytes of which the log says so, by the home's own record",
      (path: string) => {
        const before = readSha256(path);
        appendFileSync(path, "x");
        inLog(before, readSha256(path));
      },
      /has changed since it was published/,
    ],
    [
      "a file whose log says that it holds other bytes",
      (path: string) => inLog(readSha256(path), "0".repeat(64)),
      /has changed since it was published/,
    ],
  ])("reports %s, and a full publish rewrites its day", async (_, harm, printed) => {
    const path = fileOf("event_rows");
    harm(path);
    const { code, out, err } = await scene.home.lake("verify");
    expect([code, out]).toEqual([1, expect.stringMatching(printed)]);
    expect(err).toBe("error: the lake has 1 difference, listed above\n");
    // Unchanged looks are skipped, except by a full check.
    expect(await scene.home.lake("publish")).toMatchObject({ code: 0 });
    expect((await scene.home.lake("verify")).code).toBe(1);
    expect(await scene.home.lake("publish", "--full")).toMatchObject({ code: 0 });
    expect(fileOf("event_rows")).not.toBe(path);
    expect(await scene.home.lake("verify")).toMatchObject({ code: 0 });
  });

  it("reports a day that a prune deleted here and another program removed there", async () => {
    expect((await pruneWithoutLake()).code).toBe(0);
    await scene.home.lake("publish");
    const table = "query_table_rows";
    expect((await scene.home.lake("verify")).code, table).toBe(0);
    const version = readVersions(scene.home.root)["event_rows"]!;
    const path = readFiles(scene.home.root, "event_rows", version).find((file) =>
      file.includes("03-01"),
    )!;
    const entry = `${String(version + 1).padStart(20, "0")}.json`;
    const removed = { remove: { path, dataChange: true, deletionTimestamp: 1 } };
    writeFileSync(
      join(scene.home.root, "event_rows", "_delta_log", entry),
      `${JSON.stringify(removed)}\n`,
    );
    const { code, out } = await scene.home.lake("verify");
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^event_rows of 2026-03-01: rows are missing from the lake, and pruned from the database/m,
      ),
    ]);
    expect(out).toMatch(/^event_rows \(version \d+\) was written by another program; revert/m);
  });

  it("reports no loss if a publish of a day before a prune was killed before its entry", async () => {
    expect((await pruneWithoutLake()).code).toBe(0);
    await scene.home.lake("publish");
    await scene.home.load(listRecords(-1, "late", 1));
    const file = { table: "event_rows", path: "event_date=2026-02-28/x.parquet", sha256: "0" };
    const record = join(scene.home.home, "lake", "files.ndjson");
    appendFileSync(record, `${JSON.stringify(file)}\n`);
    const { out } = await scene.home.lake("verify");
    expect(out).toMatch(
      /^event_rows: 1 days of this home are missing from the lake; run auditlake --config \S+ lake/m,
    );
    expect(out).not.toMatch(/pruned from the database/);
  });

  it("reports a running publish if it may explain the difference", async () => {
    await scene.home.load(listRecords(0, "late", 1));
    using _lock = takeLock(join(scene.home.home, "lake", "publish.lock"), "lake publish", 0);
    expect((await scene.home.lake("verify")).err).toMatch(
      /^error: the lake has \d+ differences, listed above; a publication was active: run it again/,
    );
  });

  it("reports rows that exist here and not there", async () => {
    await scene.home.load(listRecords(2, "b", 3));
    await scene.home.load(listRecords(0, "late", 1));
    const { code, out } = await scene.home.lake("verify");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^event_rows of 2026-03-01: the database has different rows; run auditlake --config \S+ lake publish$/m,
    );
    expect(out).toMatch(/^event_rows: 1 days of this home are missing from the lake/m);
  });
});

describe("lake status", () => {
  it("shows tables, how far they are behind, and files that no commit references", async () => {
    await scene.home.load(listRecords(2, "b", 3));
    writeFileSync(join(scene.home.root, "event_rows", "stray.parquet"), "x");
    const { code, out, err } = await scene.home.lake("status", "--format", "csv");
    expect(code).toBe(0);
    expect(out).toMatch(/^"?event_rows"?,0,2,16,\d+,1,1$/m);
    expect(err).toMatch(/: publication 2 of .*\ningester [0-9a-f]{16}: default; 2/);
    // Replaced files still exist, and a commit references them.
    await scene.home.load(listRecords(0, "late", 1));
    await scene.home.lake("publish");
    const after = await scene.home.lake("status", "--format", "csv");
    expect(after.out).toMatch(/^"?event_rows"?,1,3,20,\d+,0,1$/m);
  });
});
