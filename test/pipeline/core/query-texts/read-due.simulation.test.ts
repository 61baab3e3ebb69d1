import { afterEach, beforeAll, afterAll, expect, test } from "vitest";
import { makeText } from "./texts.ts";
import { readCopy, newHome, type TestHome } from "../../../support/home.ts";
import {
  toDate,
  finish,
  issue,
  jobs,
  on,
  readStates,
  readTables,
  truth,
  waiting,
} from "../load/jobs-of-texts.ts";

// What the texts of jobs touch, from the load to the published file.

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

test("texts are read once each, for every job that runs them, even if events are late or missing", async () => {
  using home = readCopy(loaded);
  expect(await waiting(home)).toBe(jobs.length);
  expect(await readTables(home)).toEqual([]);
  expect((await home.run(["publish"], on)).code).toBe(0);
  expect(await readTables(home)).toEqual(truth);
  expect(await readStates(home)).toEqual(["parsed 6"]);
  // No process could be started any more: what is known is not read again.
  process.execPath = "/bin/false";
  const more = { ...jobs[0]!, id: "200", day: 9 };
  const late = [...jobs.map((job) => finish(job, 2)), issue(more)];
  const { code, err } = await home.load(late, on);
  expect({ code, err: err.includes("texts") }).toEqual({ code: 0, err: false });
  const added = makeText(500).truth.map((line) => `200 ${toDate(9)} ${line}`);
  expect(await readTables(home)).toEqual([...truth, ...added].sort());
  expect(await waiting(home)).toBe(0);
});

test("unreadable texts are stored, counted and reported, and delay nothing", async () => {
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
  expect({ code, err: err.includes("pending") }).toEqual({ code: 0, err: false });
  expect(await readStates(home)).toEqual(["failed 2", "parsed 1", "timed_out 1", "too_large 1"]);
  expect((await readTables(home)).map((line) => line.split(" ").slice(3).join(" "))).toEqual([
    "select good.one read",
    "select good.two read",
    "drop good.three written",
  ]);
  expect((await home.run(["status"], on)).out).toContain(
    "query texts         1 parsed, 2 failed, 1 took too long, 1 too large",
  );
});

test("a run that reaches its time limit for texts leaves the rest to the next one, and publishes", async () => {
  using home = readCopy(loaded);
  process.execPath = "/bin/false";
  const { code, err } = await home.load([finish(jobs[0]!)], on);
  expect(code).toBe(0);
  expect(err).toContain("the process that parses query texts could not be started");
  expect(await home.count("select count(*) from events where event_name = 'job_modify'")).toBe(1);
  process.execPath = execPath;
  expect((await home.run(["status"], on)).out).toContain(
    "query texts         6 pending (the next runs parse them, newest first)",
  );
  await home.run(["publish"], on);
  expect(await readTables(home)).toEqual(truth);
});

test("a rebuild, a prune and another version of the aggregation give the same rows", async () => {
  using home = readCopy(loaded);
  await home.run(["publish"], on);
  // A rebuild parses no text that was parsed before.
  process.execPath = "/bin/false";
  expect((await home.run(["rebuild"], on)).code).toBe(0);
  expect(await readTables(home)).toEqual(truth);
  process.execPath = execPath;
  const before = toDate(2);
  const { code } = await home.run(["prune", "--events", "--before", before, "--yes"], on);
  expect(code).toBe(0);
  expect(await readTables(home)).toEqual(truth.filter((line) => line.split(" ")[1]! >= before));
  const kept = new Set(jobs.filter(({ day }) => day >= 2).map(({ text }) => text)).size;
  expect(await home.count("select count(*) from query_text_rows")).toBe(kept);
});

test("a prune leaves texts to ingest, import, publish and rebuild", async () => {
  using home = readCopy(loaded);
  const before = toDate(2);
  const { code } = await home.run(["prune", "--events", "--before", before, "--yes"], on);
  const kept = jobs.filter(({ day }) => day >= 2).length;
  expect([code, await waiting(home)]).toEqual([0, kept]);
  expect((await home.run(["rebuild"], on)).code).toBe(0);
  expect(await readTables(home)).toEqual(truth.filter((line) => line.split(" ")[1]! >= before));
});

test("an invalid time limit is refused before anything is loaded", async () => {
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
