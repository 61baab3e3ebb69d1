import { DuckDBInstance } from "@duckdb/node-api";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { run } from "../../../support/command.ts";
import { denials, inFolder, report, setUp, texts } from "./command-support.ts";
import { nowMs } from "./support.ts";

// How results are written and what is said of them.

test.each([
  [["run", "denied", "--out", "x.csv", "--dated"], /--dated needs several reports/],
  [["run", "denied", "--meta"], /--meta writes a file beside that of --out/],
  [["run", "denied", "--no-header", "--format", "json"], /--no-header is for table, csv, tsv/],
  [["run", "denied", "--separator", ";"], /--separator is for csv; the format here is table/],
  [["run", "denied", "--format", "csv", "--separator", ";;"], /expected one character/],
  [["run", "denied", "--format", "csv", "--separator", '"'], /expected one character/],
  [["run", "denied", "--during", "soon"], /--during "soon" is not a period/],
  [
    ["run", "denied", "--during", "2026-11", "--since", "1d"],
    /found --during together with --since/,
  ],
  [
    ["run", "denied", "--since", "1d", "--until", "2d"],
    /ends before it starts; since must be before until/,
  ],
  [
    ["denied"],
    /expected list, show or run; did you mean auditlake (?:--home \S+ )?report run denied\?/,
  ],
  [["shwo"], /did you mean auditlake (?:--home \S+ )?report show\?/],
  [["frobnicate"], /did you mean auditlake (?:--home \S+ )?report list\?/],
  [["lst"], /did you mean auditlake (?:--home \S+ )?report list\?/],
])("%j is refused with what to do", async (argv, message) => {
  const folder = await setUp({ "denied.sql": denials });
  const { code, out, err } = await report(folder, ...argv);
  expect(err).toMatch(message);
  expect([code, out]).toEqual([2, ""]);
});

test("--no-header, --separator and --out - change the output for other programs", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const argv = ["run", "denied", "--no-header", "--out", "-"];
  const csv = await report(folder, ...argv, "--format", "csv", "--separator", ";");
  expect(csv.out).toBe('"alice@example.com";2\r\n"bob@example.com";1\r\n');
  expect((await report(folder, ...argv)).out).toBe(
    "alice@example.com        2\nbob@example.com          1\n"
      .replaceAll("        2", "  2")
      .replaceAll("          1", "    1"),
  );
  const tabs = await report(
    folder,
    "run",
    "denied",
    "--format",
    "csv",
    "--separator",
    String.raw`\t`,
  );
  expect(tabs.out.split("\r\n")[1]).toBe('"alice@example.com"\t2');
});

test("--during is a complete period", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const { out, err } = await report(
    folder,
    "run",
    "denied",
    "--during",
    "yesterday",
    "--format",
    "csv",
  );
  expect(err).toContain("since 2026-11-20T00:00:00Z until 2026-11-21T00:00:00Z\n");
  expect(out).toBe('actor_email,denials\r\n"alice@example.com",1\r\n');
});

test("--fail-on-rows exits with 3 if there are rows, and prints their location", async () => {
  const folder = await setUp({ "denied.sql": denials, "texts.sql": texts });
  const path = join(folder, "found.csv");
  const found = await report(folder, "run", "denied", "--fail-on-rows", "--out", path);
  expect(found.code).toBe(3);
  expect(found.err).toContain(`warning: denied found 2 rows, ${path}\n`);
  const none = await report(folder, "run", "denied", "--fail-on-rows", "--during", "2020");
  expect(none.code).toBe(2);
  const empty = await report(folder, "run", "denied", "--fail-on-rows", "--during", "2020-01");
  expect([empty.code, empty.err]).toEqual([0, expect.not.stringContaining("warning")]);
  // An empty result of an unread month is distinguished from a quiet month.
  expect(empty.err).toContain("note: the log of s begins at 2026-11-01T00:00:00Z\n");
});

test("--dated keeps a folder of each day, and --meta describes each file", async () => {
  const own = { "denied.sql": denials, "texts.sql": texts };
  const folder = await setUp(own);
  const instance = await DuckDBInstance.create(join(folder, "audit.duckdb"));
  const connection = await instance.connect();
  await connection.run(
    "create or replace table ingest_runs as select 's' as source, 'r1' as run_id, timestamp '2026-11-20' as started_at, timestamp '2026-11-20 00:01:00' as finished_at",
  );
  await connection.run(
    "create table final_up_to as select 's' as source, timestamp '2026-11-01' as final_from, timestamp '2026-11-20' as final_until",
  );
  await connection.run("create table schema_migrations as select '000_store.sql' as migration");
  connection.closeSync();
  instance.closeSync();
  const out = join(folder, "out");
  const run = await report(folder, "run", "denied", "texts", "--out", out, "--dated", "--meta");
  expect(run.code, run.err).toBe(0);
  const day = join(out, "2026-11-21");
  expect(readdirSync(day).toSorted()).toEqual([
    "denied.csv",
    "denied.csv.meta.json",
    "texts.csv",
    "texts.csv.meta.json",
  ]);
  const meta = JSON.parse(readFileSync(join(day, "denied.csv.meta.json"), "utf8")) as object;
  const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
  expect(meta).toEqual({
    file: "denied.csv",
    sha256: sha256(readFileSync(join(day, "denied.csv"))),
    format: "csv",
    rows: 2,
    report: "denied",
    title: "Who was denied?",
    sql_sha256: sha256(denials),
    parameters: { since: "2026-11-14T12:00:00Z", until: "2026-11-21T12:00:00Z", actor: null },
    source: null,
    timezone: "UTC",
    options: {},
    not_read: [],
    data: [
      {
        source: "s",
        final_from: "2026-11-01T00:00:00Z",
        final_until: "2026-11-20T00:00:00Z",
        run_id: "r1",
        finished_at: "2026-11-20T00:01:00Z",
      },
    ],
    auditlake: expect.any(String),
    program: {
      version: expect.any(String),
      catalog_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bundle_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    // The file is of a version without a log.
    evidence: null,
    written_at: "2026-11-21T12:00:00.000Z",
  });
  // Later rows have no file beside them that describes the previous ones; another program's file stays.
  writeFileSync(join(day, "texts.csv.meta.json"), '{"file":"texts.csv"}');
  const again = await report(folder, "run", "denied", "texts", "--out", out, "--dated");
  expect(again.code, again.err).toBe(0);
  expect(readdirSync(day).toSorted()).toEqual(["denied.csv", "texts.csv", "texts.csv.meta.json"]);
});

test("a missing home is reported as such", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const argv = ["--home", join(folder, "mistyped"), "report", "run", "denied"];
  const { code, err } = await run(argv, inFolder(folder));
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(
      `nothing published yet: the home ${join(folder, "mistyped")} does not exist`,
    ),
  ]);
});

test("the hint about Ctrl-C is a separate line", async () => {
  const folder = await setUp({ "denied.sql": denials });
  const controller = new AbortController();
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const out = join(folder, "out");
  // As a terminal shows the keys, before the first report is done.
  stderr.write("^C");
  const now = (): number => (controller.abort(), nowMs);
  const argv = ["report", "run", "denied", "denied2", "--out", out, "--home", folder];
  writeFileSync(join(folder, "queries", "denied2.sql"), denials);
  const given = { ...inFolder(folder), stderr, signal: controller.signal, now };
  expect((await run(argv, given)).code).toBe(130);
  const printed = String(stderr.read());
  expect(printed).toMatch(/^\^C\n/);
  expect(printed).toMatch(/^interrupted: 0 of 2 reports written$/m);
});
