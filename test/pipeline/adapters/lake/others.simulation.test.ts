import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolderStore } from "../../../../pipeline/adapters/lake/store.ts";
import { refuseTaken } from "../../../../pipeline/adapters/lake/claims.ts";
import {
  findNewestPublication,
  putPublication,
} from "../../../../pipeline/adapters/lake/publication.ts";
import { readCopy } from "../../../support/home.ts";
import { readFiles, readVersions } from "./reader.ts";
import { eventsInLake, readId, lakeHome, listRecords } from "./scene.ts";
import { twoPublications } from "./two-publications.ts";

const scene = twoPublications();
const { fresh, publish } = scene;

describe("two publishers of one ingester", () => {
  it("one of them wins each table, and the other reports it; the lake is complete after the next publish", async () => {
    const root = fresh("two");
    const both = await Promise.allSettled([1, 2].map(() => publish(root)));
    const failed = both.filter((one) => one.status === "rejected");
    expect(failed.length).toBeLessThan(2);
    for (const { reason } of failed)
      expect(String(reason)).toMatch(/another publisher of this ingester committed version \d+/);
    await publish(root);
    expect(await eventsInLake(root)).toEqual(scene.allEvents);
  });

  it("the second reports that the first holds the lock", async () => {
    const own = readCopy(scene.home);
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
    await other.load(listRecords(5, "z"));
    const versions = readVersions(root);
    const { code, err } = await other.lake("publish");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /^error: source default is already in the lake, from ingester [0-9a-f]{16} \(last at /,
      ),
    ]);
    expect(readVersions(root)).toEqual(versions);
    other[Symbol.dispose]();
  });
});

describe("a home restored from before it knew a source", () => {
  it("retains the claim on that source: its rows exist, and no other ingester may publish it", async () => {
    const root = fresh("put back");
    const store = newFolderStore(root);
    const id = readId(root);
    const [path, known] = ["lake.json", await findNewestPublication(store)];
    const own = known!.ingesters[id]!;
    await putPublication(store, 1, ({ tables }) => ({
      ingesters: { [id]: { ...own, sources: [...own.sources, "later"] } },
      tables,
    }));
    await publish(root);
    const { ingesters } = (await findNewestPublication(store))!;
    expect(ingesters[id]!.sources).toEqual(["default", "later"]);
    expect(() => refuseTaken(ingesters, "another", ["later"])).toThrow(
      /source later is already in/,
    );
    expect(JSON.parse(String(await store.get(path)))).toMatchObject({ ingesters });
  });
});

function ofOtherColumns(text: string): string {
  expect(text).toMatch(/"auditlake.digest":"20-\d+-[0-9a-f]{8}"/);
  return text.replaceAll(/("auditlake.digest":"20-\d+-)[0-9a-f]{8}"/g, '$100000000"');
}

describe("a change of the lake by another program", () => {
  const entry = (root: string, version: number): string =>
    join(root, "event_rows/_delta_log", `${String(version).padStart(20, "0")}.json`);

  it.each([
    [
      "a file of another program",
      '{"add":{"path":"x.parquet","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n',
      /has x\.parquet, which another program wrote/,
    ],
    ["an entry that is none", "not json\n", /log entry .*1\.json of the lake cannot be read/],
    [
      "other rules for readers",
      '{"commitInfo":{"auditlake":{"ingester":"a","publish":"b"}}}\n{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}\n',
      /\(version 1\) has reader requirements that auditlake does not set; nothing was changed/,
    ],
    [
      "a property of another program",
      '{"commitInfo":{"operation":"SET TBLPROPERTIES"}}\n',
      /\(version 1\) was written by another program; nothing was changed: revert/,
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
    const [first] = readFiles(root, "event_rows", 0);
    const added = readFileSync(entry(root, 0), "utf8")
      .split("\n")
      .find((line) => line.includes(first!) && line.startsWith('{"add"'))!;
    const remove = { remove: { path: first, dataChange: true, deletionTimestamp: 1 } };
    writeFileSync(entry(root, 1), `{"commitInfo":{}}\n${JSON.stringify(remove)}\n`);
    if (what.endsWith("put back"))
      writeFileSync(entry(root, 2), `{"commitInfo":{"operation":"RESTORE"}}\n${added}\n`);
    await expect(publish(root)).rejects.toThrow(/\(version 1\) was written by another program/);
    expect(existsSync(entry(root, 3))).toBe(false);
    rmSync(root, { recursive: true });
  });

  const column = String.raw`{\"name\":\"mail_subject\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},`;

  it.each([
    // As after an earlier version of the program, which ended digests with the columns that it had.
    ["is missing in the lake", (text: string) => ofOtherColumns(text.replace(column, ""))],
    ["another home has brought to the lake", (text: string) => ofOtherColumns(text)],
  ])("adding a column that %s is applied to all days, also to unchanged ones", async (_, harm) => {
    const root = fresh("narrower");
    const text = readFileSync(entry(root, 0), "utf8");
    expect(text).toContain(column);
    writeFileSync(entry(root, 0), harm(text));
    const before = readFiles(root, "event_rows", 0);
    const { tables } = await publish(root);
    const events = tables.find(({ table }) => table === "event_rows")!;
    expect(events.written).toEqual(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]);
    const version = readVersions(root)["event_rows"]!;
    const after = readFiles(root, "event_rows", version);
    expect(after.filter((file) => before.includes(file))).toEqual([]);
    expect(await eventsInLake(root)).toEqual(scene.allEvents);
    expect((await publish(root)).isChanged).toBe(false);
    rmSync(root, { recursive: true });
  });

  it("such as a column of a newer version, a newer lake, or a missing entry is refused in one line", async () => {
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
      /event_rows of the lake has no log entry of version 0/,
    );
    const publication = JSON.parse(readFileSync(join(root, "lake.json"), "utf8")) as object;
    writeFileSync(join(root, "lake.json"), JSON.stringify({ ...publication, format: 2 }));
    await expect(publish(root)).rejects.toThrow(/has format 2, newer than this auditlake/);
  });
});
