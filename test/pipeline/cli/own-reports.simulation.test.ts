import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { testKey } from "../../support/key.ts";

// User reports: a user who may put a file there must not get further than the published file.

let home: TestHome;
let keyFile: string;
beforeAll(async () => {
  home = newHome();
  await home.load([
    { time: 1_767_225_600, event_name: "job_kill", id: "a", user_id: 1 },
    { time: 1_767_225_601, event_name: "job_kill", id: "b", user_id: 2 },
  ]);
  keyFile = home.write("key", testKey);
  const activation = {
    params: {},
    id_key: "id",
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
    ],
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
  };
  home.write("hasty.json", JSON.stringify({ queries: "queries", report_timeout: "1s" }));
  home.write(
    "auditlake.json",
    JSON.stringify({
      queries: "queries",
      memory_limit: "60MB",
      threads: 1,
      targets: { lake: { type: "file", folder: "out", format: "ndjson" } },
      activations: {
        reads: { ...activation, report: "reads" },
        drops: { ...activation, report: "drops" },
        sums: { ...activation, report: "sums" },
      },
    }),
  );
  own("reads", `select content as id from read_text('${keyFile}')`);
  own("drops", "drop table event_rows");
  own(
    "sums",
    "select resource_id as id from events where false union all select sum(user_id)::varchar from events;",
  );
});
afterAll(() => home[Symbol.dispose]());

function own(name: string, sql: string, ...header: string[]): string {
  const lines = [`-- title: ${name}`, "-- grain: one row", ...header, sql];
  return home.write(`queries/${name}.sql`, `${lines.join("\n")}\n`);
}

function run(...argv: string[]): Promise<Outcome> {
  return home.run(["--config", join(home.folder, "auditlake.json"), ...argv], {
    env: { AUDITLAKE_API_KEY: testKey },
  });
}

const left = (): string[] =>
  [home.home, join(home.home, "activations")]
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.startsWith(".spill-") || name.includes(".rows"));

describe.each([
  ["a table", (name: string) => ["report", "run", name]],
  ["a file", (name: string) => ["report", "run", name, "--out", join(home.folder, "x.csv")]],
  ["parquet", (name: string) => ["report", "run", name, "--out", join(home.folder, "x.parquet")]],
  ["an export", (name: string) => ["export", name, "--to", "lake"]],
  ["a plan of an export", (name: string) => ["export", name, "--to", "lake", "--dry-run"]],
  ["an activation", (name: string) => ["activate", name]],
  ["a plan of an activation", (name: string) => ["activate", name, "--dry-run"]],
])("to %s, a report file", (_where, argv) => {
  it("cannot read the key, or change what is stored", async () => {
    for (const [name, code, reason] of [
      ["reads", 1, 'Permission Error: Cannot access file "'],
      ["drops", 2, "only SELECT is run"],
    ] as const) {
      const { code: ended, out, err } = await run(...argv(name));
      const file = join(home.folder, "queries", `${name}.sql`);
      expect([ended, out], err).toEqual([code, ""]);
      const [error, ...more] = err.split("\n").filter((line) => line.startsWith("error: "));
      expect(error).toContain(`${file}: ${reason}`);
      expect(more).toEqual([]);
      expect(err).not.toContain(testKey);
    }
    for (const name of ["x.csv", "x.parquet", "out/reads.ndjson", "out/new.ndjson"])
      expect(existsSync(join(home.folder, name)), name).toBe(false);
    expect(left()).toEqual([]);
  });
});

it("that would do harm is reported by doctor only", async () => {
  const { out } = await run("doctor");
  const lines = out.split("\n").filter((line) => /^fail +reports/.test(line));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("queries/drops.sql: only SELECT is run");
  expect(lines[1]).toContain("queries/reads.sql: Permission Error");
  expect(out).toMatch(/^ok +reports +\d+ reports compile on the published file$/m);
});

it("is delivered with its types by an activation, which stores its state", async () => {
  expect(await run("activate", "sums")).toMatchObject({ code: 0 });
  expect(readFileSync(join(home.folder, "out/new.ndjson"), "utf8")).toBe('{"id":"3"}\n');
  const again = await run("activate", "sums", "--dry-run");
  expect(again.err).toMatch(/\b0 new\b/);
  expect(left()).toEqual([]);
});

it("spills what does not fit into memory, and leaves nothing of it", async () => {
  const sorted =
    "select count(*) as n from (select md5(i::varchar) as k from range(2000000) as r(i) order by k offset 1)";
  own("big", sorted);
  const { code, out, err } = await run("report", "run", "big", "--format", "csv");
  expect([code, out], err).toEqual([0, "n\r\n1999999\r\n"]);
  expect(left()).toEqual([]);
});

it("is stopped in time, with the limit to raise", async () => {
  own("endless", "select count(*) as n from range(1000000000000) as a, range(1000) as b");
  const config = join(home.folder, "hasty.json");
  const { code, err } = await home.run(["--config", config, "report", "run", "endless"]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /endless\.sql: stopped after 1 s; .* raise report_timeout in the configuration$/m,
  );
});

it("uses values only as values, with any content and header", { timeout: 300_000 }, async () => {
  const hostile = `'; drop table event_rows; -- ' union all select content from read_text('${keyFile}') --`;
  const path = ["-- param: path text"];
  own("as_text", "select $x as x", `-- param: x text = ${hostile}`);
  own("as_name", "select $parquet_file as x", "-- param: parquet_file text = a");
  own("as_member", "select $constructor as x", "-- param: constructor text = a");
  own("as_nobody", "select $constructor as x");
  own("as_path", "select content as x from read_text($path)", ...path);
  own("as_query", "select * from query($path)", ...path);
  own("as_table", "select * from query_table($path)", ...path);
  own("as_break", "select 1 as x", `-- param: path text = a\rdrop table event_rows`);
  own("as_nul", "select $path as x\0; drop table event_rows", ...path);
  const folder = join(home.folder, "values");
  const names = ["text", "name", "member", "nobody", "path", "query", "table", "break", "nul"];
  const argv = names.map((name) => `as_${name}`);
  const given = ["--param", `path=${keyFile}`, "--out", folder];
  const { code, err } = await run("report", "run", ...argv, ...given);
  expect(code, err).toBe(6);
  expect(err).not.toContain(testKey);
  expect(readdirSync(folder).toSorted()).toEqual(["as_member.csv", "as_name.csv", "as_text.csv"]);
  expect(readFileSync(join(folder, "as_text.csv"), "utf8")).toBe(
    // A formula may begin behind a semicolon, too.
    `x\r\n"${hostile.replace("; --", ";' --")}"\r\n`,
  );
  const out = join(home.folder, "as_name.parquet");
  expect(await run("report", "run", "as_name", "--out", out)).toMatchObject({ code: 0 });
});

describe("an invalid report file", () => {
  const title = "-- title: t\n-- grain: one row\n";
  const kinds: readonly (readonly [what: string, file: string, text: string, printed: RegExp])[] = [
    ["without a title", "bare.sql", "select 1", /bare\.sql:1: the header has no/],
    ["with an unknown key", "keyed.sql", `-- ttle: t\n${title}select 1`, /unknown key "ttle"/],
    ["with the name of another", "sign_ins_blocked_by_address.sql", title, /already exists/],
    ["with a name that is none", "a b.sql", `${title}select 1`, /cannot be the name of a report/],
    ["that is empty", "empty.sql", "", /the header has no/],
    ["with an unknown chart", "pie.sql", `-- chart: pie x=a y=b\n${title}select 1`, /chart "pie"/],
    [
      "with a chart of a missing column",
      "lost.sql",
      `-- chart: bars x=a y=b\n${title}select 1 as a`,
      /needs a column b/,
    ],
  ];
  const folderWith = (file: string, text: string): string => {
    const folder = join(home.folder, `broken ${file}`);
    home.write(`broken ${file}/${file}`, text);
    home.write(`broken ${file}/mine.sql`, `${title}select 7 as n`);
    return folder;
  };

  it.each(kinds)("is named and skipped: one %s", async (_what, file, text, printed) => {
    const folder = ["--queries", folderWith(file, text)];
    // What is asked of all reports is done in part; a named one is not concerned.
    const runs: readonly (readonly [argv: string[], code: number])[] = [
      [["list"], 6],
      [["show", "mine"], 0],
      [["run", "mine", "--format", "csv"], 0],
    ];
    for (const [argv, expected] of runs) {
      const { code, out, err } = await home.run(["report", ...argv, ...folder]);
      expect([argv, code]).toEqual([argv, expected]);
      expect(err).toMatch(/^warning: report left out: /m);
      expect(err).toMatch(printed);
      expect(out).toMatch(/mine|7/);
    }
  });

  it("does not prevent writing the others", async () => {
    const folder = ["--queries", folderWith("bare.sql", "select 1")];
    const all = join(home.folder, "all");
    const { code } = await home.run(["report", "run", "--all", "--out", all, ...folder]);
    expect(code).toBe(6);
    expect(readFileSync(join(all, "mine.csv"), "utf8")).toBe("n\r\n7\r\n");
    expect(readdirSync(all).length).toBeGreaterThan(30);
  });

  it("fails in doctor, each separately", async () => {
    const folder = join(home.folder, "broken ones");
    for (const [, file, text] of kinds) home.write(`broken ones/${file}`, text);
    home.write("broken ones/mine.sql", `${title}select 7 as n`);
    const { code, out } = await home.run(["doctor", "--queries", folder]);
    expect(code).not.toBe(0);
    for (const [, , , printed] of kinds)
      expect(out).toMatch(new RegExp(`^fail +reports +.*${printed.source}`, "m"));
    expect(out).toMatch(/^ok +reports +\d+ reports compile/m);
  });

  it("does not prevent an export of another report", async () => {
    const folder = folderWith("bare.sql", "select 1");
    const to = join(home.folder, "sent");
    home.write("to.json", JSON.stringify({ targets: { out: { type: "file", folder: to } } }));
    const argv = ["--config", join(home.folder, "to.json"), "export", "mine", "--to", "out"];
    const { code, err } = await home.run([...argv, "--queries", folder]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^warning: report left out: /m)]);
    expect(existsSync(to)).toBe(true);
  });
});
