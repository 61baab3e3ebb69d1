import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOf, homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { goldenRuns } from "../../../support/golden.ts";

// One home has a source alone, the other beside it one of the same people, jobs and policies at other times.

let alone: TestHome;
let both: TestHome;
beforeAll(async () => {
  alone = await homeWithWarehouse();
  const records = readFileSync("fixtures/golden/records.ndjson", "utf8");
  const users = ["--users", "fixtures/golden/users.json"];
  const imported = await alone.run([
    "import",
    "--source",
    "one",
    alone.write("r.ndjson", records),
    ...users,
  ]);
  expect(imported.code, imported.err).toBe(0);
  both = copyOf(alone);
  const moved = records.replaceAll(
    /"time": ?(\d+)/g,
    (_, time: string) => `"time":${Number(time) + 5400}`,
  );
  const other = await both.run([
    "import",
    "--source",
    "two",
    both.write("m.ndjson", moved),
    ...users,
  ]);
  expect(other.code, other.err).toBe(0);
});
afterAll(() => {
  alone[Symbol.dispose]();
  both[Symbol.dispose]();
});

test("the other source would show", async () => {
  expect(await both.count("select count(distinct source) from events")).toBe(2);
  const { out } = await both.run(["sql", "select count(*) as n from events", "--format", "json"]);
  expect(JSON.parse(out)).toEqual([{ n: 2 * (await alone.count("select count(*) from events")) }]);
});

test("every report gives of --source what it gives where there is no other", async () => {
  for (const [i, run] of goldenRuns.entries()) {
    const folders = [alone, both].map(({ folder }) => join(folder, `out-${i}`));
    const first = await alone.run(["report", "run", ...run, "--out", folders[0]!]);
    expect(first.code, first.err).toBe(0);
    const second = await both.run([
      "--source",
      "one",
      "report",
      "run",
      ...run,
      "--out",
      folders[1]!,
    ]);
    expect(second.code, second.err).toBe(0);
    const files = readdirSync(folders[0]!);
    expect(readdirSync(folders[1]!)).toEqual(files);
    for (const file of files)
      expect(readFileSync(join(folders[1]!, file), "utf8"), file).toBe(
        readFileSync(join(folders[0]!, file), "utf8"),
      );
  }
});

test("so do a statement, a report of one's own and a timeline", async () => {
  both.write(
    "queries/mine.sql",
    "-- title: Mine\n-- family: mine\n-- grain: one row per source\nselect source, count(*) as n from denials group by source order by source\n",
  );
  const own = [
    "report",
    "run",
    "mine",
    "--queries",
    join(both.folder, "queries"),
    "--format",
    "csv",
  ];
  expect((await both.run(["--source", "two", ...own])).out).toMatch(/^source,n\r\ntwo,\d+\r\n$/);
  const sql = await both.run([
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
  const timeline = await both.run(["--source", "one", ...asked]);
  expect(timeline.out.length).toBeGreaterThan(1000);
  expect(timeline.out).toBe((await alone.run(asked)).out);
});

test("a source that nobody knows is an error that names those there are", async () => {
  for (const argv of [
    ["report", "run", "denials_by_actor"],
    ["sql", "select 1"],
    ["investigate", "--user", "7"],
  ]) {
    const { code, err } = await both.run(["--source", "tow", ...argv]);
    expect(code).toBe(2);
    expect(err).toContain("no data of source tow; known: one, two");
  }
});
