import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { homeWithWarehouse, newHome } from "../../../support/home.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";

// A second writer on a disk that keeps no locks, such as some network file systems: it signs over the first one.

const other = {
  pid: 4711,
  host: "another-machine",
  started: "1",
  command: "ingest",
  since: "2026-03-01T04:00:00.000Z",
};

const printed =
  "auditlake ingest (process 4711 on another-machine) started to write here at 2026-03-01T04:00:00.000Z, but this run is still active; it stops before it stores more data; keep the home on a file system with locks, or write from one machine only";

it("a lock that another run took over is noticed, and its signature stays", () => {
  using home = newHome();
  const path = home.write("run.lock", "");
  const lock = takeLock(path, "import", 0);
  lock.check();
  writeFileSync(path, JSON.stringify(other));
  expect(() => lock.check()).toThrow(expect.objectContaining({ message: printed, exitCode: 5 }));
  lock[Symbol.dispose]();
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(other);
  rmSync(path);
  using again = takeLock(path, "import", 0);
  rmSync(path);
  expect(() => again.check()).toThrow(/run\.lock was removed, but this run is still active; /);
});

it("a lock that was taken over ends the run before its next commit, and the next run loads the rest once", async () => {
  using home = newHome();
  const record = (id: string): string =>
    `{"time":1767225600,"event_name":"job_kill","id":"${id}"}\n`;
  const [first, pipe] = [home.write("first.ndjson", record("a")), join(home.folder, "second")];
  execFileSync("mkfifo", [pipe]);
  const child = spawnCommand(["--home", home.home, "import", first, pipe]);
  const ended = once(child, "exit");
  const { lock } = resolveHome(home.home);
  // Opening the pipe waits for its reader, which has landed the first file by then.
  const feed = await open(pipe, "w");
  writeFileSync(lock, JSON.stringify(other));
  await feed.writeFile(record("b"));
  await feed.close();
  let err = "";
  for await (const part of child.stderr!) err += String(part);
  expect([(await ended)[0], err]).toEqual([5, expect.stringContaining(`error: ${printed}`)]);
  rmSync(lock);
  expect((await home.run(["publish"])).code).toBe(0);
  expect(await home.rows("select id from events order by id")).toEqual([]);
  // It was landed, so nothing has to be read again.
  expect((await home.run(["rebuild"])).err).toContain("1 read loaded that had been missing");
  expect(await home.rows("select id from events order by id")).toEqual([{ id: "a" }, { id: "b" }]);
});

// An upgrade rebuilds all derived tables, which takes longer than any load.
it("a lock that was taken over ends an aggregation by other rules before its first commit", async () => {
  using home = await homeWithWarehouse();
  const event = { time: 1_767_225_600, event_name: "sign_in", user_id: 5 };
  expect(await home.load([event])).toMatchObject({ code: 0 });
  const noted = "select derived_version from derived_versions";
  await inWarehouse(home, async (connection) => {
    await connection.run("update derived_versions set derived_version = 'other'");
  });
  const { lock } = resolveHome(home.home);
  const run = Reflect.get(DuckDBConnection.prototype, "run") as DuckDBConnection["run"];
  const spy = vi.spyOn(DuckDBConnection.prototype, "run");
  spy.mockImplementation(function (this: DuckDBConnection, sql, ...rest) {
    if (sql === "delete from derived_versions") writeFileSync(lock, JSON.stringify(other));
    return run.call(this, sql, ...rest);
  });
  try {
    const { code, err } = await home.run(["publish"]);
    expect([code, err]).toEqual([5, expect.stringContaining(printed)]);
  } finally {
    spy.mockRestore();
    rmSync(lock, { force: true });
  }
  await inWarehouse(home, async (connection) => {
    expect((await connection.runAndReadAll(noted)).getRows()).toEqual([]);
  });
});
