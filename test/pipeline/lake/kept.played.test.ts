import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import type { TestHome } from "../../support/home.ts";
import { eventAt, newRemote } from "../../support/remote.ts";
import { askLake, filesOf, versionsOf } from "./reader.ts";
import {
  dyingStore,
  eventsAtHome,
  eventsInLake,
  idOf,
  Killed,
  type LakeHome,
  lakeHome,
  publishThrough,
  recordsOf,
} from "./scene.ts";

let published: LakeHome;
let home: LakeHome;

beforeAll(async () => {
  published = lakeHome();
  await published.load([...recordsOf(0, "a", 8), ...recordsOf(1, "a", 8)]);
  expect((await published.lake("publish")).code).toBe(0);
});
beforeEach(() => {
  home = lakeHome();
  cpSync(published.home, home.home, { recursive: true });
  chmodSync(home.home, 0o700);
  cpSync(published.root, home.root, { recursive: true });
});
afterEach(() => home[Symbol.dispose]());
afterAll(() => published[Symbol.dispose]());

const fileOf = (table: string): string =>
  join(home.root, table, filesOf(home.root, table, versionsOf(home.root)[table]!)[0]!);

describe("what prune took from the database", () => {
  const now = (): number => Date.parse("2026-06-01T00:00:00Z");

  it("stays in the lake, with what comes again of it, each event once", async () => {
    const before = await eventsInLake(home.root);
    const pruned = await home.run(["prune", "--events", "--before", "2026-03-02", "--yes"], {
      now,
    });
    expect([pruned.code, pruned.err]).toEqual([0, expect.stringContaining(", 8 events;")]);
    expect(await eventsAtHome(home)).toHaveLength(8);
    const { err } = await home.lake("publish", "--full");
    expect(await eventsInLake(home.root)).toEqual(before);
    expect(err).not.toMatch(/nothing changed/);
    // Half of the day comes again, and one event that is new.
    await home.load([...recordsOf(0, "a", 4), ...recordsOf(0, "new", 1)]);
    await home.lake("publish");
    const after = (await eventsInLake(home.root))!;
    expect(after.filter((event) => before!.includes(event))).toEqual(before);
    expect(after).toHaveLength(17);
    expect((await home.lake("verify")).code).toBe(0);
    expect((await home.lake("publish")).err).toMatch(/nothing changed/);
  });
});

describe("prune with a lake", () => {
  const now = (): number => Date.parse("2026-06-01T00:00:00Z");
  const spans =
    "select source, subject_kind, subject_id, origin, operation, valid_from, valid_to from permission_spans order by all";

  it("keeps the events that rights are folded from, so that those stay as they are, here and there", async () => {
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
    await home.load(rights);
    const before = await home.rows(spans);
    expect(before.length).toBeGreaterThan(0);
    expect((await home.lake("publish")).code).toBe(0);
    const argv = ["prune", "--events", "--before", "2026-03-02", "--yes"];
    expect((await home.run(["--config", home.config, ...argv], { now })).code).toBe(0);
    expect(await home.rows(spans)).toEqual(before);
    // Signing in is no right, and is gone.
    expect(
      await home.count(
        "select count(*) from events where event_name = 'sign_in' and event_date < date '2026-03-02'",
      ),
    ).toBe(0);
    await home.lake("publish");
    const inLake = await askLake(
      home.root,
      "permission_span_rows",
      "concat_ws('|', subject_id, operation)",
    );
    expect(inLake).toHaveLength(before.length);
    expect(await eventsInLake(home.root)).toHaveLength(18);
  });
});

describe("ingest --lake", () => {
  it("brings the lake level with what was read, and says when it cannot", async () => {
    await using remote = await newRemote(Date.parse("2026-03-10T12:00:00Z"));
    await remote.serve([eventAt(Date.parse("2026-03-10T08:00:00Z"), 0)]);
    const place = join(remote.home.folder, "lake");
    const config = (location: string): string[] => [
      "--config",
      remote.home.write("lake.json", JSON.stringify({ lake: { location } })),
    ];
    const night = (location: string): ReturnType<TestHome["run"]> =>
      remote.home.run([...config(location), "ingest", "--lake"], {
        env: remote.env(),
        now: () => remote.clock.nowMs,
      });
    const { code, err } = await night(place);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^lake: publication 2, \d+ tables changed/m),
    ]);
    expect(await eventsInLake(place)).toHaveLength(1);
    const file = remote.home.write("a-file", "");
    const failed = await night(join(file, "lake"));
    expect([failed.code, failed.err]).toEqual([
      6,
      expect.stringMatching(
        /^error: what was loaded is not in the lake: lake\.location .* is below, something that is no folder/m,
      ),
    ]);
  });

  it("says so where there is no lake, before anything is read", async () => {
    const config = home.write("none.json", "{}");
    const outcome = await home.run(["--config", config, "ingest", "--lake"]);
    expect(failureLine(outcome, 2, [])).toMatch(/no lake: .*none\.json has no lake; add one/);
  });
});

const sha256Of = (path: string): string =>
  createHash("sha256").update(readFileSync(path)).digest("hex");

// Rewrites the entries of the table's log as who may write to the lake could.
function inLog(from: string, to: string): void {
  const log = join(home.root, "event_rows", "_delta_log");
  const entries = readdirSync(log).filter((name) => name.endsWith(".json"));
  const texts = entries.map((name) => [join(log, name), readFileSync(join(log, name), "utf8")]);
  const named = texts.filter(([, text]) => text!.includes(from));
  expect(named.length).toBeGreaterThan(0);
  for (const [entry, text] of named) writeFileSync(entry!, text!.replaceAll(from, to));
}

describe("lake verify", () => {
  it("finds files as they were put there, and rows as they are here", async () => {
    const { code, out } = await home.lake("verify");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^event_rows: 2 parts, 16 rows, as here\n/),
    ]);
  });

  it.each([
    [
      "a file of other bytes",
      (path: string) => appendFileSync(path, "x"),
      /holds other bytes than were put there/,
    ],
    ["a file that is gone", (path: string) => rmSync(path), /is missing; put it back/],
    [
      "a file of other bytes of which the log says so, by the home's own record",
      (path: string) => {
        const before = sha256Of(path);
        appendFileSync(path, "x");
        inLog(before, sha256Of(path));
      },
      /holds other bytes than were put there/,
    ],
    [
      "a file whose log says that it holds other bytes",
      (path: string) => inLog(sha256Of(path), "0".repeat(64)),
      /holds other bytes than were put there/,
    ],
  ])("tells %s", async (_, harm, printed) => {
    harm(fileOf("event_rows"));
    const { code, out, err } = await home.lake("verify");
    expect([code, out]).toEqual([1, expect.stringMatching(printed)]);
    expect(err).toBe("error: the lake differs in 1 place, told above\n");
  });

  it("tells rows that are here and not there", async () => {
    await home.load(recordsOf(2, "b", 3));
    await home.load(recordsOf(0, "late", 1));
    const { code, out } = await home.lake("verify");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^event_rows of 2026-03-01: the database has other rows; run auditlake lake publish$/m,
    );
    expect(out).toMatch(/^event_rows: the lake lacks 1 of the days here/m);
  });
});

describe("lake status", () => {
  it("shows tables, how far they are behind, and files that no commit names", async () => {
    await home.load(recordsOf(2, "b", 3));
    writeFileSync(join(home.root, "event_rows", "stray.parquet"), "x");
    const { code, out, err } = await home.lake("status", "--format", "csv");
    expect(code).toBe(0);
    expect(out).toMatch(/^"?event_rows"?,0,2,16,\d+,1,1$/m);
    expect(err).toMatch(/: publication 2 of .*\ningester [0-9a-f]{16}: default; 2/);
  });
});

describe("lake vacuum", () => {
  const old = (path: string): void => utimesSync(path, 1e9, 1e9);

  it("removes what was replaced or never named long ago, and nothing that a reader may need", async () => {
    const replaced = fileOf("event_rows");
    const stray = join(home.root, "event_rows", "stray.parquet");
    const fresh = join(home.root, "event_rows", "fresh.parquet");
    for (const path of [stray, fresh]) writeFileSync(path, "x");
    await home.load(recordsOf(0, "late", 1));
    await home.lake("publish");
    const events = await eventsInLake(home.root);
    // By the time at which they were replaced, not by that of the file.
    old(replaced);
    old(stray);
    expect((await home.lake("vacuum")).err).toBe("removed 1 file (1 bytes)\n");
    expect([existsSync(replaced), existsSync(stray), existsSync(fresh)]).toEqual([
      true,
      false,
      true,
    ]);
    const log = join(home.root, "event_rows", "_delta_log");
    for (const entry of readdirSync(log)) old(join(log, entry));
    // Of the night before, which is the newest for whoever began to read when the entries were put there.
    expect((await home.lake("vacuum", "--older-than", "30d", "--dry-run")).out).toBe("");
    const nights = join(home.root, "_nights");
    for (const night of readdirSync(nights)) old(join(nights, night));
    const plan = await home.lake("vacuum", "--older-than", "30d", "--dry-run");
    expect(plan.out).toMatch(/^event_rows\/event_date=2026-03-01\/.*\.parquet {2}replaced\n$/);
    await home.lake("vacuum", "--older-than", "30d");
    expect([existsSync(replaced), existsSync(fresh)]).toEqual([false, true]);
    expect(await eventsInLake(home.root)).toEqual(events);
    expect((await home.lake("verify")).code).toBe(0);
  });

  it("keeps what the newest publication needs of a table that was changed since by a run that was killed", async () => {
    const before = await eventsInLake(home.root);
    await home.load(recordsOf(0, "late", 1));
    const few = { tables: ["event_rows"] };
    // Files, their entry, and no publication.
    const killed = publishThrough(home, dyingStore(home.root, 3, "before"), idOf(home.root), few);
    await expect(killed).rejects.toThrow(Killed);
    expect(filesOf(home.root, "event_rows", 1)).toHaveLength(2);
    for (const name of readdirSync(home.root, { recursive: true, encoding: "utf8" }))
      old(join(home.root, name));
    await home.lake("vacuum", "--older-than", "1h");
    expect(await eventsInLake(home.root)).toEqual(before);
    await home.lake("publish");
    expect(await eventsInLake(home.root)).toHaveLength(17);
  });

  it("refuses a time within which files are on their way", async () => {
    expect((await home.lake("vacuum", "--older-than", "10m")).err).toMatch(/Expected 1h or more/);
  });
});
