import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { type Answer, QueryError, runSandboxed } from "../../../../pipeline/core/sandbox/query.ts";
import type { SandboxTask } from "../../../../pipeline/core/sandbox/confined-process.ts";
import type { QueryLimits } from "../../../../pipeline/core/sandbox/limits.ts";
import { newRealWorld, type World } from "../../../../pipeline/base/world.ts";
import { testKey } from "../../../support/key.ts";
import { nextChild } from "../../../support/next-child.ts";
import { sqlTask } from "../../../support/sql-task.ts";
import { insertManyEvents, writePublished } from "../../published-file.ts";

const limits: QueryLimits = {
  timeoutMs: 20_000,
  timeoutName: "--timeout",
  maxRows: 10_000,
  maxBytes: 20e6,
  memoryLimit: "256MB",
  threads: 2,
};
const events = insertManyEvents(5000);

let root: string;
let database: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  mkdirSync(join(root, "tmp"));
  vi.stubEnv("TMPDIR", join(root, "tmp"));
  database = join(root, "audit.duckdb");
  await writePublished(database, [events]);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function worldWith(signal: AbortSignal = new AbortController().signal): World {
  return { ...newRealWorld(signal), env: { ...process.env, AUDITLAKE_API_KEY: testKey } };
}

function ask(
  sql: string,
  changes: Partial<QueryLimits> = {},
  world = worldWith(),
): Promise<Answer> {
  return runSandboxed(sqlTask(database, sql), { ...limits, ...changes }, world);
}

async function readRows(answer: Answer): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of answer.batches) rows.push(...batch);
  return rows;
}

describe("an answer of a query", () => {
  it("names columns with types and has rows as plain cells", async () => {
    await using answer = await ask(
      "select count(*) as n, max(event_time) as t, 1.50::decimal(9, 2) as d, ['a'] as l, null as x from events",
    );
    expect(answer.columns).toEqual([
      { name: "n", type: "BIGINT", kind: "number" },
      { name: "t", type: "TIMESTAMP", kind: "time" },
      { name: "d", type: "DECIMAL(9,2)", kind: "number" },
      { name: "l", type: "VARCHAR[]", kind: "text" },
      { name: "x", type: "INTEGER", kind: "number" },
    ]);
    expect(await readRows(answer)).toEqual([
      [5000n, "2026-01-01T01:23:19Z", "1.50", '["a"]', null],
    ]);
    expect(answer.truncation()).toBeUndefined();
  });

  it("keeps numbers that JSON cannot represent", async () => {
    await using answer = await ask(
      "select 'nan'::double, '-inf'::float, 9007199254740993, 0.5, '-0'::double, 0::double",
    );
    const row = [NaN, -Infinity, 9007199254740993n, "0.5", -0, 0];
    expect(await readRows(answer)).toEqual([row]);
  });

  it("keeps line separators and control characters of the data", async () => {
    await using answer = await ask("select chr(8232) || chr(10) || chr(0) || chr(27) as a");
    expect(await readRows(answer)).toEqual([["\u2028\n\0\u001b"]]);
  });

  it("has columns and no rows if nothing matches", async () => {
    await using answer = await ask("select event_key from events where false");
    expect(answer.columns).toHaveLength(1);
    expect(await readRows(answer)).toEqual([]);
  });

  it("is cut after the requested rows, and only then", async () => {
    await using exact = await ask("select * from range(3000)", { maxRows: 3000 });
    expect([(await readRows(exact)).length, exact.truncation()]).toEqual([3000, undefined]);
    await using more = await ask("select * from range(3001)", { maxRows: 3000 });
    expect([(await readRows(more)).length, more.truncation()]).toEqual([3000, "rows"]);
  });

  it("is cut after the allowed bytes, between two rows", async () => {
    await using answer = await ask("select i, repeat('x', 999) as x from range(9000) as t(i)", {
      maxBytes: 1e6,
    });
    const rows = await readRows(answer);
    expect(answer.truncation()).toBe("bytes");
    expect(rows.length).toBeGreaterThan(500);
    expect(rows.at(-1)).toEqual([BigInt(rows.length - 1), "x".repeat(999)]);
  });
});

describe("a query that ends early", () => {
  it("is an error if the query fails after many rows", async () => {
    const late = "case when range = 900000 then error('late') else 'x' end from range(1000000)";
    await using answer = await ask(`select ${late}`, { maxRows: 2_000_000 });
    await expect(readRows(answer)).rejects.toThrow(/late/);
  });

  it("is stopped in time", async () => {
    const asked = ask("select sleep_ms(600000)", { timeoutMs: 700 });
    await expect(asked).rejects.toThrow(/^stopped after 0.7 s; .* raise --timeout$/);
  });

  it("is killed by Ctrl-C, and exits with 130", async () => {
    const controller = new AbortController();
    const child = nextChild();
    const asked = ask("select sleep_ms(600000)", {}, worldWith(controller.signal));
    void child.then(() => controller.abort());
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuditlakeError);
    expect(error).toMatchObject({ exitCode: 130 });
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it("ends when its answer is closed early", async () => {
    const answer = await ask("select * from range(100000000)", { maxRows: 1e8 });
    await answer[Symbol.asyncDispose]();
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });
});

describe("an error of a query", () => {
  it("prints what to do when nothing is published", async () => {
    const task = sqlTask(join(root, "none.duckdb"), "select 1");
    await expect(runSandboxed(task, limits, worldWith())).rejects.toThrow(/^nothing published yet/);
  });

  it("refuses a NUL, after which the statement check sees nothing", async () => {
    await expect(ask("select 1\0; drop table event_rows")).rejects.toThrow(/NUL character/);
  });

  it("reports a damaged published file", async () => {
    const damaged = join(root, "damaged.duckdb");
    writeFileSync(damaged, "x".repeat(20_000));
    await expect(runSandboxed(sqlTask(damaged, "select 1"), limits, worldWith())).rejects.toThrow(
      /auditlake publish/,
    );
  });

  it("explains a SELECT without running it", async () => {
    const task: SandboxTask = {
      ...sqlTask(database, "select count(*) from events -- all"),
      result: "plan",
    };
    await using answer = await runSandboxed(task, limits, worldWith());
    const [[, plan] = []] = (await readRows(answer)) as string[][];
    expect(plan).toContain("SCAN");
    await expect(
      runSandboxed({ ...task, sql: "analyze delete from event_rows" }, limits, worldWith()),
    ).rejects.toThrow(QueryError);
  });
});

describe.runIf(process.platform === "linux")("the process of a query", () => {
  it("has no key, an empty folder, and limits", async () => {
    const controller = new AbortController();
    const asked = ask("select sleep_ms(600000)", {}, worldWith(controller.signal));
    const failed = asked.catch(() => undefined);
    const pid = await vi.waitUntil(() => childPids().find(isQuery), { timeout: 30_000 });
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    const bounds = readFileSync(`/proc/${pid}/limits`, "utf8");
    expect(folder).toContain(join(root, "tmp", "auditlake-sql-"));
    expect(readdirSync(folder)).toEqual([]);
    expect(environment).not.toContain(testKey);
    expect(environment.split("\0").map((pair) => pair.split("=")[0])).not.toContain("PATH");
    expect(bounds).toMatch(/Max data size +14\d{8} /);
    expect(bounds).toMatch(/Max file size +0 /);
    expect(bounds).toMatch(/Max core file size +0 /);
    controller.abort();
    await failed;
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});

function childPids(): string[] {
  return readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
}

function isQuery(pid: string): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(
    `${process.execPath}\0--disable-sigusr1\0${sqlTask("", "").childFile}`,
  );
}
