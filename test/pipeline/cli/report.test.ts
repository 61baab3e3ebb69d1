import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../support/command.ts";
import { nextChild } from "../../support/next-child.ts";
import {
  broken,
  denials,
  inFolder,
  needy,
  report,
  setUp,
  texts,
} from "../answers/report/command-support.ts";
import { nowMs, temporaryFolder } from "../answers/report/support.ts";

test("a report is a table on stdout; range, number of rows and freshness go to stderr", async () => {
  const folder = await setUp({ "denied.sql": denials });
  expect(await report(folder, "run", "denied")).toEqual({
    code: 0,
    out: [
      "actor_email        denials",
      "─────────────────  ───────",
      "alice@example.com        2",
      "bob@example.com          1",
      "",
    ].join("\n"),
    err: [
      "since 2026-11-14T12:00:00Z until 2026-11-21T12:00:00Z",
      "2 rows",
      "data up to 2026-11-21T11:30:00Z",
      "",
    ].join("\n"),
  });
});

test("range and parameters are honoured; a file without a ledger has no footnote", async () => {
  const folder = await setUp({ "denied.sql": denials }, false);
  const { out, err } = await report(
    ...([folder, "run", "denied", "--since", "2026-11-14", "--until", "2026-11-21"] as const),
    "--param",
    "actor=carol@example.com",
    "--format",
    "json",
  );
  expect(out).toBe('[\n{"actor_email":"carol@example.com","denials":1}\n]\n');
  expect(err).toBe("since 2026-11-14T00:00:00Z until 2026-11-21T00:00:00Z\n1 row\n");
});

test("--quiet prints only the data", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const argv = ["report", "run", "denied", "--format", "csv", "--quiet", "--home", folder];
  const queries = ["--queries", join(folder, "queries")];
  expect(await run([...argv, ...queries], { now: () => nowMs })).toEqual({
    code: 0,
    out: 'actor_email,denials\r\n"alice@example.com",2\r\n"bob@example.com",1\r\n',
    err: "",
  });
});

test("--out takes its format from the extension, and --raw leaves formulas", async () => {
  const folder = await setUp({ "texts.sql": texts });
  const path = join(folder, "t.csv");
  const { code, out, err } = await report(folder, "run", "texts", "--out", path);
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain(`texts: 2 rows, ${path}\n`);
  expect(readFileSync(path, "utf8")).toBe('note\r\n"\'\u001b[2J"\r\n"\'=1+1"\r\n');
  await report(folder, "run", "texts", "--out", path, "--raw");
  expect(readFileSync(path, "utf8")).toBe('note\r\n"\u001b[2J"\r\n"=1+1"\r\n');
  await report(folder, "run", "texts", "--out", join(folder, "t.parquet"));
  expect(readFileSync(join(folder, "t.parquet")).subarray(0, 4).toString()).toBe("PAR1");
  await report(folder, "run", "texts", "--out", join(folder, "t.data"), "--format", "ndjson");
  expect(readFileSync(join(folder, "t.data"), "utf8")).toContain('{"note":"=1+1"}\n');
});

test("several reports on stdout have a title each", async () => {
  const folder = await setUp({ "denied.sql": denials, "texts.sql": texts });
  const { code, out } = await report(folder, "run", "texts", "denied");
  expect(code).toBe(0);
  expect(out).toBe(
    [
      "What was sent?",
      "note",
      "─────────",
      String.raw`\u001b[2J`,
      "=1+1",
      "",
      "Who was denied?",
      "actor_email        denials",
      "─────────────────  ───────",
      "alice@example.com        2",
      "bob@example.com          1",
      "",
      "",
    ].join("\n"),
  );
});

test("--all writes a file each; one that fails does not stop the others", async () => {
  const own = {
    "a_broken.sql": broken,
    "denied.sql": denials,
    "needy.sql": needy,
    "texts.sql": texts,
  };
  const folder = await setUp(own);
  const out = join(folder, "out");
  const run = await report(folder, "run", "a_broken", "denied", "texts", "--out", out);
  expect(run.code).toBe(6);
  expect(run.out).toBe("");
  expect(run.err).toMatch(
    /^error: report a_broken: \S+\/queries\/a_broken\.sql: Binder Error: .*"nope".*\(line 3 of the statement\)$/m,
  );
  expect(run.err).toContain(`denied: 2 rows, ${join(out, "denied.csv")}\n`);
  expect(run.err).toContain(`texts: 2 rows, ${join(out, "texts.csv")}\n`);
  expect(readdirSync(out).toSorted()).toEqual(["denied.csv", "texts.csv"]);
});

test("--all skips reports that need a parameter, with a note", async () => {
  const folder = await setUp({ "needy.sql": needy });
  const run = await report(folder, "run", "--all", "--out", join(folder, "out"));
  expect(run.err).toContain("needy: skipped, needs --param who=…\n");
  expect(existsSync(join(folder, "out", "needy.csv"))).toBe(false);
});

test("the code is 1 when all reports fail", async () => {
  const folder = await setUp({ "b1.sql": broken, "b2.sql": broken });
  expect((await report(folder, "run", "b1", "b2")).code).toBe(1);
  const one = await report(folder, "run", "b1");
  expect(one.code).toBe(1);
  expect(one.err).toMatch(/^error: report b1: \S+\/b1\.sql: Binder Error/m);
});

test("list prints names, and everything in JSON", async () => {
  const folder = await setUp({ "denied.sql": denials, "needy.sql": needy });
  const table = await report(folder, "list");
  expect(table.out).toMatch(/^name +title +family +needs$/m);
  expect(table.out).toMatch(/^needy +Needs one +own +--param who=…$/m);
  expect(table.out).toMatch(/^denied +Who was denied\? +own$/m);
  const listed = JSON.parse((await report(folder, "list", "--format", "json")).out) as object[];
  expect(listed).toContainEqual({
    name: "denied",
    family: "own",
    title: "Who was denied?",
    grain: "one row per actor",
    parameters: "since timestamp = 7d, until timestamp = now, actor text = null",
    file: join(folder, "queries", "denied.sql"),
  });
});

test("show prints header, parameters and SQL", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const { out } = await report(folder, "show", "denied");
  expect(out).toBe(`denied
Who was denied?

family  own
grain   one row per actor
file    ${join(folder, "queries", "denied.sql")}

parameters
  since           timestamp default 7d
  until           timestamp default now
  actor           text      optional

${denials.split("\n").slice(5).join("\n")}`);
});

test("show names the required parameters", async () => {
  const folder = await setUp({ "needy.sql": needy });
  const { out } = await report(folder, "show", "needy");
  expect(out).toContain("\nparameters\n  who             text      required\n");
});

test("show prints what the header has besides its keys", async () => {
  const noted = denials.replace(
    "\nselect",
    "\n-- An actor is an e-mail.\n--\n-- Denied means: refused.\nselect",
  );
  const folder = await setUp({ "denied.sql": noted });
  const { out } = await report(folder, "show", "denied");
  expect(out).toContain("optional\n\nAn actor is an e-mail.\n\nDenied means: refused.\n\nselect");
});

test.each([
  [["run", "denyed"], /no report is called "denyed"; did you mean denied\?/],
  [["run"], /give the name of a report, or --all/],
  [["run", "denied", "--all"], /either names of reports or --all/],
  [
    ["run", "denied", "--param", "who=x"],
    /unknown parameter "who"; denied takes since timestamp = 7d/,
  ],
  [["run", "denied", "--since", "now"], /is an empty range/],
  [["run", "denied", "--since", "soon"], /parameter since: "soon" is not a time/],
  [["run", "needy"], /report needy needs --param who=… .*; needy takes who text required$/m],
  [
    ["run", "denied", "--format", "pdf"],
    /'pdf' is invalid. Allowed choices are table, csv, tsv, json, ndjson, markdown, lines, html, svg, chart, parquet/,
  ],
  [["run", "denied", "--format", "parquet"], /parquet is written to a file; add --out/],
  [["run", "denied", "needy", "--format", "csv", "--param", "who=x"], /add --out DIR/],
  [["run", "denied", "--out", "x.exe"], /the extension of --out x.exe is not a known format/],
  [["show", "nothing"], /no report is called "nothing"/],
])("%j is a usage error", async (argv, message) => {
  const folder = await setUp({ "denied.sql": denials, "needy.sql": needy });
  const { code, out, err } = await report(folder, ...argv);
  expect(err).toMatch(message);
  expect([code, out]).toEqual([2, ""]);
});

test("an invalid user report is named with its line", async () => {
  const folder = await setUp({
    "bad.sql": "-- title: A\n-- grain: b\n-- param: x thing\nselect 1",
  });
  const { code, err } = await report(folder, "list");
  expect(code).toBe(6);
  expect(err).toMatch(/bad\.sql:3: parameter x: unknown type "thing"/);
});

test("help describes a subcommand, as its --help does", async () => {
  const [help, asked] = [
    await run(["report", "run", "--help"]),
    await run(["report", "help", "run"]),
  ];
  expect(asked).toEqual(help);
  expect(asked.out).toContain("Usage: auditlake report run");
});

test("a report without a published file prints what to do", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "queries"));
  writeFileSync(join(folder, "queries", "texts.sql"), texts);
  const { code, err } = await report(folder, "run", "texts");
  expect(code).toBe(1);
  expect(err).toContain("nothing published yet");
});

test.each(["csv", "parquet"])("Ctrl-C ends %s with 130 and leaves the old file", async (format) => {
  const endless =
    "-- title: A\n-- grain: b\nselect sum(a.range * b.range) as n from range(1000000) as a, range(1000000) as b\n";
  const folder = await setUp({ "endless.sql": endless });
  const path = join(folder, "kept");
  writeFileSync(path, "old");
  const controller = new AbortController();
  void nextChild().then(() => controller.abort());
  const argv = ["report", "run", "endless", "--out", path, "--format", format, "--home", folder];
  const { code } = await run(argv, { ...inFolder(folder), signal: controller.signal });
  expect(code).toBe(130);
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder).toSorted()).toEqual(["audit.duckdb", "kept", "queries"]);
});
