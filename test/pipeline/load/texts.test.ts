import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, afterAll, expect, test } from "vitest";
import { randomOf } from "../../../fixtures/random.ts";
import { ownDatabase, textOf } from "../query-text/texts.ts";
import { childEnv } from "../../support/child-env.ts";
import { copyOf, newHome, type Row, type TestHome } from "../../support/home.ts";

// What the texts of jobs touch, from the load to the published file.

const on = { env: { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "60s" } };
const bin = fileURLToPath(new URL("../../../pipeline/bin.ts", import.meta.url));
const dayS = 86_400;
const firstS = Date.UTC(2026, 0, 5) / 1000;

type Job = {
  readonly id: string;
  readonly day: number;
  readonly text: string;
  readonly type?: string;
};

const issue = ({ id, day, text, type = "presto" }: Job): object => ({
  id: `issue-${id}`,
  time: firstS + day * dayS + Number(id) * 60,
  event_name: "job_issue",
  user_id: 1,
  resource_id: id,
  resource_name: `${ownDatabase}.${id}`,
  job_type: type,
  query_text: text,
});

const finish = ({ id, day }: Job, days = 0): object => ({
  id: `finish-${id}`,
  time: firstS + (day + days) * dayS + Number(id) * 60 + 30,
  event_name: "job_modify",
  user_id: 1,
  resource_id: id,
  resource_name: `${ownDatabase}.${id}`,
  attribute_name: "status",
  new_value: "success",
});

const dateOf = (day: number): string =>
  new Date((firstS + day * dayS) * 1000).toISOString().slice(0, 10);

const lines = (rows: readonly Row[]): string[] => rows.map((row) => Object.values(row).join(" "));

const tablesOf = async (home: TestHome): Promise<string[]> =>
  lines(
    await home.rows(
      "select job_id, job_date, statement_number, statement_kind, database_name || '.' || table_name, access from query_tables order by all",
    ),
  ).sort();

const statesOf = async (home: TestHome): Promise<string[]> =>
  lines(await home.rows("select state, count(*) from query_text_rows group by state")).sort();

const waiting = (home: TestHome): Promise<number> =>
  home.count("select count(*) from query_text_due");

const jobs: readonly Job[] = Array.from({ length: 12 }, (_, i) => {
  // Two jobs run each text.
  const { text, dialect } = textOf(500 + Math.floor(i / 2));
  return { id: String(100 + i), day: i % 5, text, type: dialect === "hive" ? "hive" : "presto" };
});
const truth = jobs
  .flatMap(({ id, day }, i) =>
    textOf(500 + Math.floor(i / 2)).truth.map((line) => `${id} ${dateOf(day)} ${line}`),
  )
  .sort();

let loaded: TestHome;
beforeAll(async () => {
  loaded = newHome();
  await loaded.load(jobs.map(issue));
});
afterAll(() => loaded[Symbol.dispose]());
const execPath = process.execPath;
afterEach(() => {
  process.execPath = execPath;
});

test("texts are read once each, for every job that runs them, also where events come late or not at all", async () => {
  using home = copyOf(loaded);
  expect(await waiting(home)).toBe(jobs.length);
  expect(await tablesOf(home)).toEqual([]);
  expect((await home.run(["publish"], on)).code).toBe(0);
  expect(await tablesOf(home)).toEqual(truth);
  expect(await statesOf(home)).toEqual(["parsed 6"]);
  // No process could be started any more: what is known is not read again.
  process.execPath = "/bin/false";
  const more = { ...jobs[0]!, id: "200", day: 9 };
  const late = [...jobs.map((job) => finish(job, 2)), issue(more)];
  const { code, err } = await home.load(late, on);
  expect({ code, err: err.includes("texts") }).toEqual({ code: 0, err: false });
  const added = textOf(500).truth.map((line) => `200 ${dateOf(9)} ${line}`);
  expect(await tablesOf(home)).toEqual([...truth, ...added].sort());
  expect(await waiting(home)).toBe(0);
});

test("a rebuild, a prune and another version of the fold give the same rows", async () => {
  using home = copyOf(loaded);
  await home.run(["publish"], on);
  expect((await home.run(["rebuild"], on)).code).toBe(0);
  expect(await tablesOf(home)).toEqual(truth);
  const before = dateOf(2);
  const { code } = await home.run(["prune", "--events", "--before", before, "--yes"], on);
  expect(code).toBe(0);
  expect(await tablesOf(home)).toEqual(truth.filter((line) => line.split(" ")[1]! >= before));
  const kept = new Set(jobs.filter(({ day }) => day >= 2).map(({ text }) => text)).size;
  expect(await home.count("select count(*) from query_text_rows")).toBe(kept);
});

test("what cannot be read is kept, counted and told, and holds up nothing", async () => {
  using home = newHome();
  const nested = `select ${"(".repeat(240)}1${")".repeat(240)} from a.b;\n`.repeat(40);
  const texts = [
    "select 1 from good.one",
    "this is no query at all",
    `select 1 from a.b -- ${"x".repeat(300_000)}`,
    nested,
    "select 1 from good.two; nonsense; drop table good.three",
  ];
  const { code, err } = await home.load(
    texts.map((text, i) => issue({ id: String(i + 1), day: 0, text })),
    on,
  );
  expect({ code, err: err.includes("wait") }).toEqual({ code: 0, err: false });
  expect(await statesOf(home)).toEqual(["failed 2", "parsed 1", "timed_out 1", "too_large 1"]);
  expect((await tablesOf(home)).map((line) => line.split(" ").slice(3).join(" "))).toEqual([
    "select good.one read",
    "select good.two read",
    "drop good.three written",
  ]);
  expect((await home.run(["status"], on)).out).toContain(
    "query texts   1 read, 2 failed, 1 took too long, 1 too large",
  );
});

test("a run whose time for texts is over leaves the rest to the next, and publishes", async () => {
  using home = copyOf(loaded);
  process.execPath = "/bin/false";
  const { code, err } = await home.load([finish(jobs[0]!)], on);
  expect(code).toBe(0);
  expect(err).toContain("the process that reads query texts does not start");
  expect(await home.count("select count(*) from events where event_name = 'job_modify'")).toBe(1);
  process.execPath = execPath;
  expect((await home.run(["status"], on)).out).toContain("query texts   6 wait");
  await home.run(["publish"], on);
  expect(await tablesOf(home)).toEqual(truth);
});

test("a time limit that is none is refused before anything is loaded", async () => {
  using home = newHome();
  const env = { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "soon" };
  const { code, err } = await home.load(jobs.map(issue), { env });
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'AUDITLAKE_QUERY_TEXTS_TIME_LIMIT is "soon"; expected a duration such as 30s or 2m, 0s for never',
    ) as string,
  });
});

test.each([1])("in whatever order jobs and texts come, seed %i", async (seed) => {
  const random = randomOf(seed, "orders of jobs");
  using home = newHome();
  const parts = jobs.flatMap((job) => [issue(job), finish(job, random.int(0, 2))]);
  for (let i = parts.length - 1; i > 0; i--) {
    const other = random.int(0, i);
    [parts[i], parts[other]] = [parts[other]!, parts[i]!];
  }
  const first = random.int(1, parts.length - 1);
  await home.load(parts.slice(0, first), random.chance(0.5) ? on : {});
  await home.load(parts.slice(first), on);
  expect(await tablesOf(home)).toEqual(truth);
});

test(
  "a run that is killed while it reads texts leaves nothing by half",
  { timeout: 120_000 },
  async () => {
    using home = newHome();
    const many = Array.from({ length: 120 }, (_, i): Job => {
      const { text, dialect } = textOf(9000 + i);
      return {
        id: String(1000 + i),
        day: i % 5,
        text,
        type: dialect === "hive" ? "hive" : "presto",
      };
    });
    await home.load(many.map(issue));
    for (const waitMs of [2500]) {
      const child = spawn(process.execPath, [bin, "--home", home.home, "publish"], {
        env: childEnv(),
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      await Promise.race([wait(waitMs), ended]);
      child.kill("SIGKILL");
      await ended;
    }
    expect((await home.run(["publish"], on)).code).toBe(0);
    const expected = many.flatMap(({ id, day }, i) =>
      textOf(9000 + i).truth.map((line) => `${id} ${dateOf(day)} ${line}`),
    );
    expect(await tablesOf(home)).toEqual(expected.sort());
    expect(await waiting(home)).toBe(0);
  },
);
