import { DuckDBConnection } from "@duckdb/node-api";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { newFolderStore } from "../../../../pipeline/adapters/lake/store.ts";
import { readRecordedFiles } from "../../../../pipeline/adapters/lake/home.ts";
import { lakeTables } from "../../../../pipeline/adapters/lake/tables.ts";
import { failureLine } from "../../../support/failure.ts";
import { readCopy } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import { readAdds, readFiles, readVersions } from "./reader.ts";
import { eventsAtHome, eventsInLake, readId, publishThrough, withoutEvents } from "./scene.ts";
import { twoPublications } from "./two-publications.ts";

const scene = twoPublications();
const { fresh, publish } = scene;

describe("a publication", () => {
  it("writes the rows of the database into the lake, and the next one only the changed days", async () => {
    const root = fresh("first");
    expect(await eventsInLake(root)).toEqual(scene.firstEvents);
    const before = readFiles(root, "event_rows", readVersions(root)["event_rows"]!);
    const { tables } = await publish(root);
    const events = tables.find(({ table }) => table === "event_rows")!;
    expect([events.written, events.gone]).toEqual([["2026-03-01", "2026-03-04"], []]);
    expect(await eventsInLake(root)).toEqual(scene.allEvents);
    const after = readFiles(root, "event_rows", readVersions(root)["event_rows"]!);
    const kept = after.filter((path) => before.includes(path));
    expect(kept.map((path) => path.split("/")[0])).toEqual([
      "event_date=2026-03-02",
      "event_date=2026-03-03",
    ]);
  });

  it("writes the rows of a day sorted by source, time and key, one file a day", async () => {
    const files = readFiles(scene.root, "event_rows", 0);
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

  it("is on record at home, each file with its digest", async () => {
    const recorded = await readRecordedFiles(resolveHome(scene.home.home));
    const files = Object.entries(readVersions(scene.root)).flatMap(([table, version]) =>
      readFiles(scene.root, table, version).map((path) => `${table}/${path}`),
    );
    expect([...recorded.keys()].toSorted()).toEqual(files.toSorted());
    for (const [file, sha256] of recorded) {
      const bytes = readFileSync(join(scene.root, file));
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    }
  });

  it("labels each written file with its day, and as new data", () => {
    const { root } = scene;
    const uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.parquet";
    const dayless = new Set<string>();
    for (const { name, day } of lakeTables)
      for (const add of readAdds(root, name)) {
        const { path, partitionValues, size, dataChange } = add;
        const [value] = Object.values(partitionValues);
        if (day === undefined) dayless.add(name);
        const folder = day === undefined ? "" : `${day.column}=${value}/`;
        expect(path).toMatch(new RegExp(`^${folder}${uuid}$`));
        expect(partitionValues).toEqual(day === undefined ? {} : { [day.column]: value });
        expect(size).toBe(statSync(join(root, name, path)).size);
        expect(dataChange).toBe(true);
      }
    expect(dayless.size).toBeGreaterThan(0);
  });

  it("relabels days that only differ in format, without new data for readers", async () => {
    const root = fresh("relabelled");
    const files = readFiles(root, "event_rows", 0);
    const log = join(root, "event_rows", "_delta_log", `${"0".repeat(20)}.json`);
    const text = readFileSync(log, "utf8");
    // As another version of the database would have made its looks.
    writeFileSync(log, text.replaceAll(/("auditlake\.look":")\d+-/g, "$1other-"));
    const { tables } = await publish(root);
    const { written, version } = tables.find(({ table }) => table === "event_rows")!;
    expect([written, version]).toEqual([["2026-03-01", "2026-03-04"], 1]);
    const added = readAdds(root, "event_rows", version);
    const labels = added.filter(({ path }) => files.includes(path));
    expect(labels.map(({ dataChange }) => dataChange)).toEqual([false, false]);
    expect(added.map(({ dataChange }) => dataChange).toSorted()).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(JSON.stringify(added)).not.toContain("other-");
  });

  it("changes nothing when it is repeated, incremental or full", async () => {
    const root = fresh("repeat");
    await publish(root);
    const versions = readVersions(root);
    for (const isFull of [false, true]) {
      const again = await publish(root, { isFull });
      expect(again.tables.filter(({ files }) => files.length > 0)).toEqual([]);
      expect(again.isChanged).toBe(false);
      expect(readVersions(root)).toEqual(versions);
    }
  });

  it("removes what is missing in the database", async () => {
    const root = fresh("less");
    const less = await withoutEvents(
      scene.home,
      "event_date <> date '2026-03-02' or event_time < '2026-03-02 00:05:00'",
    );
    await publishThrough(less, newFolderStore(root), readId(root));
    expect(await eventsInLake(root)).toHaveLength(15);
    expect(await eventsInLake(root)).toEqual(await eventsAtHome(less));
    less[Symbol.dispose]();
  });

  it("writes days in parallel, even if the file is small", async () => {
    using own = readCopy(scene.home);
    const lake = { location: fresh("beside") };
    const config = own.write("beside.json", JSON.stringify({ lake, threads: 3 }));
    const run = vi.spyOn(DuckDBConnection.prototype, "run");
    try {
      expect(await own.run(["--config", config, "lake", "publish"])).toMatchObject({ code: 0 });
      expect(run.mock.calls.map(([sql]) => sql)).toContain("set threads = 3");
    } finally {
      run.mockRestore();
    }
  });

  it("prints what it would do, and changes nothing, in a dry run", async () => {
    const own = readCopy(scene.home);
    const root = fresh("dry");
    const config = own.write("c.json", JSON.stringify({ lake: { location: root } }));
    const { code, out } = await own.run(["--config", config, "lake", "publish", "--dry-run"]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^event_rows: 2 days, 2026-03-01 to 2026-03-04\n/),
    ]);
    expect(await eventsInLake(root)).toEqual(scene.firstEvents);
    // Of the tables it says the versions that they would then have.
    const versions = async (flags: object): Promise<unknown> =>
      (await publish(root, flags)).tables.map(({ table, version }) => [table, version]);
    const planned = await versions({ isDryRun: true });
    expect(planned).toEqual(await versions({}));
    expect(planned).toContainEqual(["event_rows", 1]);
    own[Symbol.dispose]();
  });
});

describe("a location", () => {
  it("that is no folder, has no parent, or is read-only is refused in one line", async () => {
    const file = scene.home.write("a-file", "x");
    const closed = join(scene.home.folder, "closed");
    mkdirSync(closed, { mode: 0o500 });
    // The administrator may not write there, either.
    const locked = process.getuid?.() === 0 ? "/sys" : closed;
    const events = await scene.home.count("select count(*) from events");
    const runAt = (location: string, verb: string): Promise<Outcome> => {
      const config = scene.home.write("at.json", JSON.stringify({ lake: { location } }));
      return scene.home.run(["--config", config, "lake", verb]);
    };
    const noFolder =
      /^error: lake\.location .*a-file.* is not a folder; expected an existing or new folder/;
    for (const location of [file, join(file, "below")])
      for (const verb of ["publish", "status"])
        expect(failureLine(await runAt(location, verb), 1, [])).toMatch(noFolder);
    expect(failureLine(await runAt(join(locked, "lake"), "publish"), 1, [])).toMatch(
      /^error: cannot write .*\/lake\/_probe\/.*correct the permissions, then run again/,
    );
    expect(await scene.home.count("select count(*) from events")).toBe(events);
    expect(readFileSync(file, "utf8")).toBe("x");
  });
});
