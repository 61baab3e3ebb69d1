import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import { refuseTaken } from "../../../pipeline/lake/claims.ts";
import { newestPublication, putPublication } from "../../../pipeline/lake/publication.ts";
import { failureLine } from "../../support/failure.ts";
import { copyOf } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { filesOf, versionsOf } from "./reader.ts";
import {
  eventsAtHome,
  eventsInLake,
  idOf,
  lakeHome,
  publishThrough,
  recordsOf,
  withoutEvents,
} from "./scene.ts";
import { twoNights } from "./two-nights.ts";

const scene = twoNights();
const { fresh, publish } = scene;

describe("a night", () => {
  it("puts the rows of the database into the lake, and the next one the days that differ alone", async () => {
    const root = fresh("night");
    expect(await eventsInLake(root)).toEqual(scene.firstNight);
    const before = filesOf(root, "event_rows", versionsOf(root)["event_rows"]!);
    const { tables } = await publish(root);
    const events = tables.find(({ table }) => table === "event_rows")!;
    expect([events.written, events.gone]).toEqual([["2026-03-01", "2026-03-04"], []]);
    expect(await eventsInLake(root)).toEqual(scene.secondNight);
    const after = filesOf(root, "event_rows", versionsOf(root)["event_rows"]!);
    const kept = after.filter((path) => before.includes(path));
    expect(kept.map((path) => path.split("/")[0])).toEqual([
      "event_date=2026-03-02",
      "event_date=2026-03-03",
    ]);
  });

  it("writes the rows of a day sorted by source, time and key, one file a day", async () => {
    const files = filesOf(scene.root, "event_rows", 0);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const path = join(scene.root, "event_rows", file);
      const text = "concat_ws('|', source, event_time, event_key)";
      const rows = await scene.home.rows(`select ${text} as row from read_parquet('${path}')`);
      const found = rows.map(({ row }) => String(row));
      expect(found).toHaveLength(20);
      expect(found).toEqual(found.toSorted());
    }
  });

  it("changes nothing when it is repeated, whole or not", async () => {
    const root = fresh("repeat");
    await publish(root);
    const versions = versionsOf(root);
    for (const isFull of [false, true]) {
      const again = await publish(root, { isFull });
      expect(again.tables.filter(({ files }) => files.length > 0)).toEqual([]);
      expect(again.isChanged).toBe(false);
      expect(versionsOf(root)).toEqual(versions);
    }
  });

  it("takes out what the database has no more", async () => {
    const root = fresh("less");
    const less = await withoutEvents(
      scene.home,
      "event_date <> date '2026-03-02' or event_time < '2026-03-02 00:05:00'",
    );
    await publishThrough(less, folderStore(root), idOf(root));
    expect(await eventsInLake(root)).toHaveLength(15);
    expect(await eventsInLake(root)).toEqual(await eventsAtHome(less));
    less[Symbol.dispose]();
  });

  it("says what it would do, and does none of it, in a dry run", async () => {
    const own = copyOf(scene.home);
    const root = fresh("dry");
    const config = own.write("c.json", JSON.stringify({ lake: { location: root } }));
    const { code, out } = await own.run(["--config", config, "lake", "publish", "--dry-run"]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^event_rows: 2 days, 2026-03-01 to 2026-03-04\n/),
    ]);
    expect(await eventsInLake(root)).toEqual(scene.firstNight);
    own[Symbol.dispose]();
  });
});

describe("two publishers of one ingester", () => {
  it("one of them wins each table, and the other says so; the lake is whole after the next", async () => {
    const root = fresh("two");
    const both = await Promise.allSettled([1, 2].map(() => publish(root)));
    const failed = both.filter((one) => one.status === "rejected");
    expect(failed.length).toBeLessThan(2);
    for (const { reason } of failed)
      expect(String(reason)).toMatch(/another publisher of this ingester committed version \d+/);
    await publish(root);
    expect(await eventsInLake(root)).toEqual(scene.secondNight);
  });

  it("the second is told where the first holds the home", async () => {
    const own = copyOf(scene.home);
    const config = own.write(
      "c.json",
      JSON.stringify({ lake: { location: join(own.folder, "l") } }),
    );
    const argv = ["--config", config, "lake", "publish"];
    const outcomes = await Promise.all([own.run(argv), own.run(argv)]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 5]);
    expect(outcomes.find(({ code }) => code === 5)!.err).toMatch(
      /^error: locked: auditlake lake publish/,
    );
    own[Symbol.dispose]();
  });
});

describe("two ingesters", () => {
  it("of one source: the second is refused before anything is put there", async () => {
    const root = fresh("same");
    const other = lakeHome(root);
    await other.load(recordsOf(5, "z"));
    const versions = versionsOf(root);
    const { code, err } = await other.lake("publish");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /^error: source default is in the lake already, from ingester [0-9a-f]{16} \(last at /,
      ),
    ]);
    expect(versionsOf(root)).toEqual(versions);
    other[Symbol.dispose]();
  });
});

describe("a home put back from before it knew a source", () => {
  it("keeps the name of that: rows of it are there, and nobody else may take it", async () => {
    const root = fresh("put back");
    const store = folderStore(root);
    const id = idOf(root);
    const [path, known] = ["lake.json", await newestPublication(store)];
    const own = known!.ingesters[id]!;
    await putPublication(store, 1, ({ tables }) => ({
      ingesters: { [id]: { ...own, sources: [...own.sources, "later"] } },
      tables,
    }));
    await publish(root);
    const { ingesters } = (await newestPublication(store))!;
    expect(ingesters[id]!.sources).toEqual(["default", "later"]);
    expect(() => refuseTaken(ingesters, "another", ["later"])).toThrow(/source later is in/);
    expect(JSON.parse(String(await store.get(path)))).toMatchObject({ ingesters });
  });
});

function ofOtherColumns(text: string): string {
  expect(text).toMatch(/"auditlake.digest":"20-\d+-[0-9a-f]{8}"/);
  return text.replaceAll(/("auditlake.digest":"20-\d+-)[0-9a-f]{8}"/g, '$100000000"');
}

describe("what somebody else did to the lake", () => {
  const entry = (root: string, version: number): string =>
    join(root, "event_rows/_delta_log", `${String(version).padStart(20, "0")}.json`);

  it.each([
    [
      "a file of another program",
      '{"add":{"path":"x.parquet","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n',
      /holds x\.parquet, which no auditlake put there/,
    ],
    ["an entry that is none", "not json\n", /log entry .*1\.json of the lake cannot be read/],
    [
      "other rules for readers",
      '{"commitInfo":{"auditlake":{"ingester":"a","publish":"b"}}}\n{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}\n',
      /\(version 1\) asks of its readers what no auditlake asks; nothing was changed/,
    ],
    [
      "a property of another program",
      '{"commitInfo":{"operation":"SET TBLPROPERTIES"}}\n',
      /\(version 1\) was written by no auditlake; nothing was changed: take back/,
    ],
  ])("%s is refused in one line", async (_, content, printed) => {
    const root = fresh("foreign");
    writeFileSync(entry(root, 1), content);
    await expect(publish(root)).rejects.toThrow(printed);
    rmSync(root, { recursive: true });
  });

  // An engine that deletes a whole day, or a table that is optimized after that, writes no file of its own for it.
  it.each(["a day taken out", "a day taken out and put back"])("%s is refused", async (what) => {
    const root = fresh("less foreign");
    const [first] = filesOf(root, "event_rows", 0);
    const added = readFileSync(entry(root, 0), "utf8")
      .split("\n")
      .find((line) => line.includes(first!) && line.startsWith('{"add"'))!;
    const remove = { remove: { path: first, dataChange: true, deletionTimestamp: 1 } };
    writeFileSync(entry(root, 1), `{"commitInfo":{}}\n${JSON.stringify(remove)}\n`);
    if (what.endsWith("put back"))
      writeFileSync(entry(root, 2), `{"commitInfo":{"operation":"RESTORE"}}\n${added}\n`);
    await expect(publish(root)).rejects.toThrow(/\(version 1\) was written by no auditlake/);
    expect(existsSync(entry(root, 3))).toBe(false);
    rmSync(root, { recursive: true });
  });

  const column = String.raw`{\"name\":\"mail_subject\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},`;

  it.each([
    // As after an earlier version of the program, which ended digests with the columns that it had.
    ["the lake lacks", (text: string) => ofOtherColumns(text.replace(column, ""))],
    ["another home has brought to the lake", (text: string) => ofOtherColumns(text)],
  ])("a column that %s comes to all days, also to those that did not change", async (_, harm) => {
    const root = fresh("narrower");
    const text = readFileSync(entry(root, 0), "utf8");
    expect(text).toContain(column);
    writeFileSync(entry(root, 0), harm(text));
    const before = filesOf(root, "event_rows", 0);
    const { tables } = await publish(root);
    const events = tables.find(({ table }) => table === "event_rows")!;
    expect(events.written).toEqual(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]);
    const version = versionsOf(root)["event_rows"]!;
    const after = filesOf(root, "event_rows", version);
    expect(after.filter((file) => before.includes(file))).toEqual([]);
    expect(await eventsInLake(root)).toEqual(scene.secondNight);
    expect((await publish(root)).isChanged).toBe(false);
    rmSync(root, { recursive: true });
  });

  it("a column of a newer version, a newer lake, and a missing entry are refused in one line", async () => {
    const root = fresh("newer");
    const first = readFileSync(entry(root, 0), "utf8");
    writeFileSync(
      entry(root, 0),
      first.replace(
        String.raw`{\"name\":\"source\"`,
        String.raw`{\"name\":\"new_one\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"source\"`,
      ),
    );
    await expect(publish(root)).rejects.toThrow(
      /has a column new_one of type "string", expected none/,
    );
    rmSync(entry(root, 0));
    writeFileSync(entry(root, 1), first);
    await expect(publish(root)).rejects.toThrow(
      /event_rows of the lake lacks the log entry of version 0/,
    );
    const night = JSON.parse(readFileSync(join(root, "lake.json"), "utf8")) as object;
    writeFileSync(join(root, "lake.json"), JSON.stringify({ ...night, format: 2 }));
    await expect(publish(root)).rejects.toThrow(/has format 2, newer than this auditlake/);
  });
});

describe("a location", () => {
  it("that is no folder, below none, or not to be written to is refused in one line", async () => {
    const file = scene.home.write("a-file", "x");
    const closed = join(scene.home.folder, "closed");
    mkdirSync(closed, { mode: 0o500 });
    // Who may do everything may not write there, either.
    const locked = process.getuid?.() === 0 ? "/sys" : closed;
    const events = await scene.home.count("select count(*) from events");
    const runAt = (location: string, verb: string): Promise<Outcome> => {
      const config = scene.home.write("at.json", JSON.stringify({ lake: { location } }));
      return scene.home.run(["--config", config, "lake", verb]);
    };
    const noFolder = /^error: lake\.location .*a-file.* no folder; expected a folder/;
    for (const location of [file, join(file, "below")])
      for (const verb of ["publish", "status"])
        expect(failureLine(await runAt(location, verb), 1, [])).toMatch(noFolder);
    expect(failureLine(await runAt(join(locked, "lake"), "publish"), 1, [])).toMatch(
      /^error: cannot write .*\/lake\/_probe\/.*fix the rights, then run again/,
    );
    expect(await scene.home.count("select count(*) from events")).toBe(events);
    expect(readFileSync(file, "utf8")).toBe("x");
  });
});
