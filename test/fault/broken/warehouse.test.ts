import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import { readCopy, newHome, type TestHome } from "../../support/home.ts";
import { fewOrAll } from "../length.ts";

const secret = "CANARY-content";
const records = Array.from({ length: 400 }, (_, i) => ({
  time: 1767225600 + i,
  event_name: "sign_in",
  id: `${secret}-${i}`,
}));

let made: TestHome;
let home: TestHome;
let warehouse: string;
beforeAll(async () => {
  made = newHome();
  await made.load(records);
});
afterAll(() => made[Symbol.dispose]());
beforeEach(() => {
  home = readCopy(made);
  warehouse = join(home.home, "warehouse.duckdb");
});
afterEach(() => home[Symbol.dispose]());

const damages: Readonly<Record<string, (path: string) => void>> = {
  "is empty": (path) => truncateSync(path, 0),
  "is cut off": (path) => truncateSync(path, readFileSync(path).length >> 1),
  "is something else": (path) => writeFileSync(path, `${secret} `.repeat(1000)),
  "has a damaged header": (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, 4096, 12_288));
  },
};

const played = fewOrAll(["is empty", "has a damaged header"], Object.keys(damages));

describe.each(Object.entries(damages).filter(([what]) => played.includes(what)))(
  "a warehouse that %s",
  (_what, damage) => {
    it("is moved aside, and the published file replaces it and takes what the run loads", async () => {
      damage(warehouse);
      const broken = readFileSync(warehouse);
      const imported = await home.run([
        "import",
        home.write("more.ndjson", '{"time":1,"event_name":"job_kill"}\n'),
      ]);
      expect([imported.code, imported.err]).toEqual([
        0,
        expect.stringMatching(
          /warning: .*warehouse\.duckdb does not open: .*a copy of .* replaces it/s,
        ),
      ]);
      expect(imported.err).not.toContain(secret);
      expect(await home.count("select count(*) from events")).toBe(401);
      const kept = readdirSync(home.home).filter((name) => name.includes(".damaged-"));
      expect(kept).toHaveLength(1);
      expect(readFileSync(join(home.home, kept[0]!)).equals(broken)).toBe(true);
      expect((await home.run(["rebuild"])).err).toContain("same as before");
    });

    it("is created empty if nothing was published: a rebuild loads the stored reads", async () => {
      damage(warehouse);
      rmSync(join(home.home, "audit.duckdb"), { force: true });
      const published = await home.run(["publish"]);
      expect([published.code, published.err]).toEqual([
        0,
        expect.stringMatching(
          /a new database replaces it; the next ingest or rebuild loads the missing stored/,
        ),
      ]);
      expect((await home.run(["rebuild"])).code).toBe(0);
      expect(await home.count("select count(*) from events")).toBe(400);
    });

    it("is reported with the fix if the published file is damaged, too", async () => {
      damage(warehouse);
      const published = join(home.home, "audit.duckdb");
      rmSync(published);
      writeFileSync(published, secret.repeat(1000));
      const line = failureLine(await home.run(["publish"]), 1, [secret]);
      expect(line).toMatch(/warehouse\.duckdb does not open: .*; run auditlake rebuild/);
      expect((await home.run(["rebuild"])).code).toBe(0);
      expect(await home.count("select count(*) from events")).toBe(400);
    });

    it("is replaced by rebuild, which retains a copy", async () => {
      damage(warehouse);
      const broken = readFileSync(warehouse);
      expect(await home.count("select count(*) from events")).toBe(400);
      expect((await home.run(["report", "run", "activity_by_day"])).code).toBe(0);
      const rebuilt = await home.run(["rebuild"]);
      expect([rebuilt.code, rebuilt.err]).toEqual([
        0,
        expect.stringMatching(/warning: .* is damaged: .*\n.*same as before/s),
      ]);
      expect(await home.count("select count(*) from events")).toBe(400);
      const kept = readdirSync(home.home).filter((name) => name.includes(".damaged-"));
      expect(kept).toHaveLength(1);
      expect(readFileSync(join(home.home, kept[0]!)).equals(broken)).toBe(true);
      expect((await home.load([{ time: 1, event_name: "x" }])).code).toBe(0);
    });
  },
);

it("a warehouse that another program has opened stays unchanged: every writing command exits with 5", async () => {
  const script = `
    import { DuckDBInstance } from "@duckdb/node-api";
    const instance = await DuckDBInstance.create(${JSON.stringify(warehouse)});
    const connection = await instance.connect();
    console.log("open");
    setInterval(() => connection, 1000);`;
  const shell = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: new URL("../../..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(shell.stdout, "data");
  for (const argv of [
    ["publish"],
    ["rebuild"],
    ["rebuild", "--force"],
    ["prune", "--before", "1d", "--yes", "--quiet"],
  ])
    expect(failureLine(await home.run(argv), 5, [])).toContain(
      `${warehouse} is open in another program (${process.execPath}, process ${shell.pid}); close it there`,
    );
  expect(await home.count("select count(*) from events")).toBe(400);
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect((await home.run(["publish"])).code).toBe(0);
});

it("a warehouse without read permission, or a folder in its place, is not treated as damaged", async () => {
  renameSync(warehouse, `${warehouse}.away`);
  mkdirSync(warehouse);
  expect(failureLine(await home.run(["publish"]), 1, [])).toContain("warehouse.duckdb");
  rmSync(warehouse, { recursive: true });
  renameSync(`${warehouse}.away`, warehouse);
  expect((await home.run(["publish"])).code).toBe(0);
});

it("a published file that does not open is reported, and publish replaces it", async () => {
  const published = join(home.home, "audit.duckdb");
  rmSync(published);
  writeFileSync(published, secret.repeat(1000));
  for (const argv of [["status"], ["report", "run", "activity_by_day"], ["users"]])
    expect(failureLine(await home.run(argv), 1, [secret])).toMatch(
      /audit\.duckdb does not open: .*; run auditlake publish/,
    );
  expect((await home.run(["publish"])).code).toBe(0);
  expect(await home.count("select count(*) from events")).toBe(400);
});
