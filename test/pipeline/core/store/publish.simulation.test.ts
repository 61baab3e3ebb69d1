import { DuckDBInstance } from "@duckdb/node-api";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { isPublished } from "../../../../pipeline/core/store/publish.ts";
import { formatLines, newHome, type TestHome } from "../../../support/home.ts";
import { programPath } from "../../../support/killed.ts";

let home: TestHome;
let published: string;
let warehouse: string;
beforeEach(() => {
  home = newHome();
  published = join(home.home, "audit.duckdb");
  warehouse = join(home.home, "warehouse.duckdb");
});
afterEach(() => home[Symbol.dispose]());

const records = (name: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + i,
    event_name: "sign_in",
    id: `${name}-${i}`,
    // Does not compress to nothing: the rows are to fill several blocks.
    query_text: `${name}-${i}-${Math.sin(i)}-${Math.cos(i)}`.repeat(10),
  }));

/** A process with the published file open, as an analyst's shell has it; it answers each query with a line. */
function openReader(settings = ""): { ask: (sql: string) => Promise<string>; end: () => void } {
  const script = `
    import { DuckDBInstance } from "@duckdb/node-api";
    import { createInterface } from "node:readline";
    const instance = await DuckDBInstance.create(${JSON.stringify(published)}, { access_mode: "READ_ONLY" });
    const connection = await instance.connect();
    ${settings}
    console.log("open");
    for await (const sql of createInterface({ input: process.stdin }))
      console.log(await connection.runAndReadAll(sql).then((r) => String(r.getRows()[0][0]), (e) => "ERROR " + e.message.split("\\n")[0]));`;
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: new URL("../../../..", import.meta.url),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout! });
  const next = async (): Promise<string> => String((await once(lines, "line"))[0]);
  const opened = next();
  return {
    ask: async (sql) => {
      await opened;
      const answer = next();
      child.stdin!.write(`${sql}\n`);
      return answer;
    },
    end: () => void child.kill("SIGKILL"),
  };
}

describe("readers", () => {
  it("that have the file open keep their version through three publications", async () => {
    await home.load(records("a", 3000));
    const old = openReader();
    expect(await old.ask("select count(*) from events")).toBe("3000");
    for (const [i, name] of ["b", "c", "d"].entries()) {
      expect((await home.load(records(name, 100))).code).toBe(0);
      const fresh = openReader();
      expect(await fresh.ask("select count(*) from events")).toBe(String(3100 + i * 100));
      fresh.end();
      // Columns that it has not read before come from the old file, too.
      expect(
        await old.ask("select count(distinct id) || ' ' || count(distinct query_text) from events"),
      ).toBe("3000 3000");
    }
    old.end();
  });

  it("that spill to the disk beside the file do not prevent its replacement", async () => {
    await home.load(records("a", 2000));
    const old = openReader(
      "for (const s of ['set memory_limit = \\'32MB\\'', 'set threads = 1', 'create temp table big as select e.query_text || r.i as t from events as e, range(200) as r(i)']) await connection.run(s);",
    );
    expect(await old.ask("select count(*) from big")).toBe("400000");
    expect(statSync(`${published}.tmp`).isDirectory()).toBe(true);
    expect((await home.load(records("b", 10))).code).toBe(0);
    expect(await old.ask("select count(*) from big where t like 'a-%'")).toBe("400000");
    old.end();
    expect(await home.count("select count(*) from events")).toBe(2010);
  });
});

describe("the published file", () => {
  it("is readable by its owner and group, and is the only file besides the warehouse", async () => {
    await home.load(records("a", 10));
    expect(statSync(published).mode & 0o777).toBe(0o440);
    const files = readdirSync(home.home).filter((name) => !name.startsWith("run.lock"));
    expect(files.sort()).toEqual(["audit.duckdb", "landing", "warehouse.duckdb"]);
  });

  it("is freed of a write-ahead log that another program left beside it", async () => {
    await home.load(records("a", 10));
    chmodSync(published, 0o600);
    const instance = await DuckDBInstance.create(published);
    const connection = await instance.connect();
    await connection.run("set checkpoint_threshold = '1GB'");
    await connection.run("create table notes as select 1 as n");
    const log = readFileSync(`${published}.wal`);
    connection.closeSync();
    instance.closeSync();
    writeFileSync(`${published}.wal`, log);
    const before = await home.run(["report", "run", "denials_by_actor"]);
    expect([before.code, before.err]).toEqual([
      1,
      expect.stringMatching(
        /error: .*audit\.duckdb does not open: .*left .*\.wal; run auditlake publish/,
      ),
    ]);
    const { code, err } = await home.run(["publish"]);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^warning: removed .*audit\.duckdb\.wal/),
    ]);
    expect(existsSync(`${published}.wal`)).toBe(false);
    expect(await home.count("select count(*) from events")).toBe(10);
    expect(
      await home.count("select count(*) from duckdb_tables() where table_name = 'notes'"),
    ).toBe(0);
  });

  it("is compared with the warehouse by doctor --deep", async () => {
    await home.load(records("a", 2000));
    const bytes = readFileSync(warehouse);
    bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 64);
    writeFileSync(warehouse, bytes);
    expect((await home.run(["doctor", "--no-reports", "--deep"])).out).toMatch(
      /^fail +blocks +.*warehouse\.duckdb differs .*run auditlake rebuild/m,
    );
  });

  it("is distinguished from a warehouse that was written to since", async () => {
    await home.load(records("a", 10));
    const paths = resolveHome(home.home);
    const inode = (): number => statSync(published).ino;
    const before = inode();
    expect(await isPublished(paths)).toBe(true);
    const instance = await DuckDBInstance.create(warehouse);
    const connection = await instance.connect();
    await connection.run("checkpoint");
    expect(await isPublished(paths)).toBe(true);
    await connection.run("insert into store_version values (2)");
    await connection.run("checkpoint");
    connection.closeSync();
    instance.closeSync();
    expect(await isPublished(paths)).toBe(false);
    await home.load(records("b", 1));
    expect([await isPublished(paths), inode() === before]).toEqual([true, false]);
  });

  it("exists also if the file system cannot sync a folder", async () => {
    await home.load(records("a", 10));
    const hook = home.write(
      "no-folder-sync.mjs",
      `import { open } from "node:fs/promises";
       const handle = await open(".");
       const { sync } = Object.getPrototypeOf(handle);
       Object.getPrototypeOf(handle).sync = async function () {
         if ((await this.stat()).isDirectory())
           throw Object.assign(new Error("EINVAL: invalid argument, fsync"), { code: "EINVAL" });
         return sync.call(this);
       };
       await handle.close();`,
    );
    const before = statSync(published).ino;
    const more = home.write("more.ndjson", formatLines(records("b", 10)));
    const argv = ["--import", hook, programPath, "--home", home.home, "import", more];
    const child = spawn(process.execPath, argv);
    const [code] = (await once(child, "close")) as [number];
    expect([code, statSync(published).ino === before]).toEqual([0, false]);
  });

  it("ignores copies that killed runs left", async () => {
    await home.load(records("a", 10));
    writeFileSync(`${published}.new`, "half a copy");
    writeFileSync(`${published}.new.wal`, "and a log");
    expect((await home.load(records("b", 10))).code).toBe(0);
    expect(await home.count("select count(*) from events")).toBe(20);
    expect(readdirSync(home.home).filter((name) => name.includes(".new"))).toEqual([]);
  });
});

describe("a report that exceeds its memory limit", () => {
  it("removes traces of readers that were killed long ago", async () => {
    await home.load(records("a", 1));
    const left = join(home.home, `.spill-${2 ** 22 + 1}-00ff00ff`);
    mkdirSync(left);
    writeFileSync(join(left, "duckdb_temp_storage-0.tmp"), formatLines([{ secret: 1 }]));
    await home.load(records("b", 1));
    expect(existsSync(left)).toBe(true);
    await home.load(records("c", 1), { now: () => Date.now() + 2 * 86_400_000 });
    expect(existsSync(left)).toBe(false);
  });
});
