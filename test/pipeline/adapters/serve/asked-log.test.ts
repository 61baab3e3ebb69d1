import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readUserName } from "../../../../pipeline/base/home/version.ts";
import { type Inquiry, newInquiryLog } from "../../../../pipeline/adapters/serve/site.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
let log: string;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  log = join(home.home, "serve", "asked.ndjson");
  served = await serving(home, "--timeout", "2s");
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function entries(): { kind: string; what: string }[] {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { kind: string; what: string });
}

const range = "since=2026-01-01&until=2026-01-02";
const slow = "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range < 0";

it.each([
  ["overview", "/", "since=7d until=now"],
  ["page", "/pages/daily", "daily since=30d until=now"],
  ["events", `/events?${range}&person=ann`, `${range}&person=ann`],
  ["event", `/events/${"0".repeat(32)}`, "0".repeat(32)],
  [
    "report",
    `/reports/denials_by_actor?${range}`,
    "denials_by_actor since=2026-01-01 until=2026-01-02",
  ],
  ["report", "/reports/denials_by_actor/rows.csv?since=1d", "denials_by_actor since=1d"],
])("logs the user of a query: %s %s", async (kind, path, what) => {
  await served.text(path);
  expect(entries().at(-1)).toMatchObject({ kind, what });
});

it("logs a query before it is answered", async () => {
  const gone = new AbortController();
  const asked = served.get("/sql", { sql: slow }, gone.signal).catch(() => undefined);
  await expect.poll(() => entries().at(-1)?.what, { timeout: 5000 }).toBe(slow);
  gone.abort();
  await asked;
});

it("skips foreign lines of the log", async () => {
  await served.text("/sql", { sql: "select 'mine'" });
  const lines = [
    "null",
    "7",
    '"sql"',
    "[]",
    "{}",
    '{"kind":"sql"}',
    '{"kind":"sql","what":7}',
    "{",
  ];
  appendFileSync(log, `${lines.join("\n")}\n`);
  const page = await served.get("/sql");
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("mine")]);
});

it("logs the next query after a line that a full disk has truncated", async () => {
  appendFileSync(log, '{"at":"2026-01-01T00:00:00.000Z","by":"jo","kind":"sql","what":"sel');
  await served.text("/sql", { sql: "select 'after'" });
  const last = readFileSync(log, "utf8").trim().split("\n").at(-1)!;
  expect(JSON.parse(last)).toMatchObject({ kind: "sql", what: "select 'after'" });
});

it("answers no query that cannot be logged, and reports the reason", async () => {
  const kept = `${log}.kept`;
  renameSync(log, kept);
  mkdirSync(log);
  try {
    for (const path of ["/", `/events?${range}`, `/reports/denials_by_actor?${range}`, "/sql"]) {
      const response = await served.get(path);
      expect([path, response.status]).toEqual([path, 500]);
      const text = await response.text();
      expect(text).toMatch(/role="alert">the query log cannot be (written|read)/);
      expect(text).not.toContain("<td");
    }
  } finally {
    rmSync(log, { recursive: true });
    renameSync(kept, log);
  }
  expect((await served.get("/")).status).toBe(200);
});

/** A log without a page, in a folder that is not there yet. */
function aside(name: string): { path: string; log: ReturnType<typeof newInquiryLog> } {
  const path = join(home.folder, name, "asked.ndjson");
  return { path, log: newInquiryLog(path, () => Date.UTC(2026, 0, 1)) };
}

it("is readable by its owner only under any umask, with one line for each query", () => {
  const { path, log } = aside("own");
  const umask = process.umask(0);
  try {
    log.add("overview", "since=7d");
  } finally {
    process.umask(umask);
  }
  log.add("sql", "select 1");
  const entry = (kind: Inquiry["kind"], what: string): string =>
    JSON.stringify({
      at: "2026-01-01T00:00:00.000Z",
      by: readUserName(),
      kind,
      what,
    } satisfies Inquiry);
  const lines = [entry("overview", "since=7d"), entry("sql", "select 1"), ""];
  expect(readFileSync(path, "utf8").split("\n")).toEqual(lines);
  expect([dirname(path), path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
});

it("lists the newest statements, each once, and none before the first", () => {
  const { log } = aside("newest");
  expect(log.statements(9)).toEqual([]);
  for (const what of ["a", "b", "a", "c"]) log.add("sql", what);
  log.add("events", "d");
  expect([log.statements(9), log.statements(2)]).toEqual([
    ["c", "a", "b"],
    ["c", "a"],
  ]);
});

it("reads at most a million bytes of a log that has grown for years", () => {
  const { path, log } = aside("grown");
  mkdirSync(dirname(path));
  const [first, last] = ["first", "last"].map(
    (what) => `${JSON.stringify({ kind: "sql", what })}\n`,
  );
  const buildRead = (bytes: number): string[] => {
    writeFileSync(path, `${first}${`\n${last}`.padStart(bytes - first!.length, "x")}`);
    return log.statements(9);
  };
  expect([buildRead(1_000_000), buildRead(1_000_001)]).toEqual([["last", "first"], ["last"]]);
});

it.runIf(existsSync("/proc/self/fd"))("closes the log when it is neither read nor written", () => {
  const { path, log } = aside("closed");
  log.add("sql", "a");
  log.statements(1);
  const open = readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
  expect(open).toEqual([]);
});
