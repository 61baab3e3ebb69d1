import { join } from "node:path";
import { expect, test } from "vitest";
import { readCopy } from "../../../support/home.ts";
import { newHomes } from "./two.ts";

// One home has a single source, the other beside it one of the same people, jobs and policies at other times. The same
// of every report is verified by test/fault/histories/sources.test.ts.

const homes = newHomes();

test("the other source has rows without --source", async () => {
  expect(await homes.both.count("select count(distinct source) from events")).toBe(2);
  const { out } = await homes.both.run([
    "sql",
    "select count(*) as n from events",
    "--format",
    "json",
  ]);
  expect(JSON.parse(out)).toEqual([
    { n: 2 * (await homes.alone.count("select count(*) from events")) },
  ]);
});

test("a report returns for --source what it returns without other sources", async () => {
  const report = "report run denials_by_actor --since 2026-03-02 --until 2026-03-05 --format csv";
  const { out } = await homes.both.run(["--source", "one", ...report.split(" ")]);
  expect(out.split("\r\n").length).toBeGreaterThan(3);
  expect(out).toBe((await homes.alone.run(report.split(" "))).out);
});

test("a statement, a user report and a timeline return for --source what they return without other sources", async () => {
  homes.both.write(
    "queries/mine.sql",
    "-- title: Mine\n-- family: mine\n-- grain: one row per source\nselect source, count(*) as n from denials group by source order by source\n",
  );
  const own = [
    "report",
    "run",
    "mine",
    "--queries",
    join(homes.both.folder, "queries"),
    "--format",
    "csv",
  ];
  expect((await homes.both.run(["--source", "two", ...own])).out).toMatch(
    /^source,n\r\ntwo,\d+\r\n$/,
  );
  const sql = await homes.both.run([
    "--source",
    "two",
    "sql",
    "select distinct source from users",
    "--format",
    "csv",
  ]);
  expect(sql.out).toBe("source\r\ntwo\r\n");
  const asked = [
    "investigate",
    "--user",
    "rosa.olsen@example.com",
    "--during",
    "2026-03",
    "--format",
    "csv",
  ];
  const timeline = await homes.both.run(["--source", "one", ...asked]);
  expect(timeline.out.length).toBeGreaterThan(1000);
  expect(timeline.out).toBe((await homes.alone.run(asked)).out);
});

test("only a run that starts a source besides others reports it", async () => {
  using home = readCopy(homes.both);
  const record = (time: number): string =>
    home.write(`${time}.ndjson`, `{"time":${time},"event_name":"job_kill"}\n`);
  const warning =
    "warning: source tow is new in this home, known sources: one, two; to use one of them, pass --source\n";
  const importAll = async (source: string, time: number): Promise<string> =>
    (await home.run(["--source", source, "import", record(time)])).err;
  expect(await importAll("two", 1)).not.toContain("warning");
  expect(await importAll("tow", 2)).toContain(warning);
  expect(await importAll("tow", 3)).not.toContain("warning");
  const config = home.write("auditlake.json", JSON.stringify({ sources: { three: {} } }));
  const configured = await home.run(["--config", config, "import", record(4)]);
  expect(configured.err).not.toContain("warning");
});

test("an unknown source is an error that lists the existing ones", async () => {
  for (const argv of [
    ["report", "run", "denials_by_actor"],
    ["sql", "select 1"],
    ["investigate", "--user", "7"],
    ["policy", "list"],
  ]) {
    const { code, err } = await homes.both.run(["--source", "tow", ...argv]);
    expect(code).toBe(2);
    expect(err).toContain("no data of source tow; known: one, two");
  }
});
