import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nextChild } from "../../support/next-child.ts";
import { insertEvents, writePublished } from "../published-file.ts";
import { type Given, type Outcome, runCli } from "./run-cli.ts";

let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  await writePublished(join(home, "audit.duckdb"), [
    `insert into user_history (source, user_id, email, name, valid_from)
     values ('default', 1, 'ann@example.com', '=1+1', timestamp '2026-01-01'),
            ('default', 2, 'bob@example.com', null, timestamp '2026-01-01')`,
    insertEvents(["x", "y"].map((name) => ({ time: "2026-01-02 00:00:00", name }))),
  ]);
});
afterAll(() => rmSync(home, { recursive: true }));

function sql(argv: readonly string[], given: Given = {}): Promise<Outcome> {
  return runCli(["--home", home, "sql", ...argv], given);
}

const users = "select user_id, email, name from users order by user_id";

it("an event is found by its key, in either case, and an invalid key finds nothing", async () => {
  const all = await sql(["select event_key, event_name from events", "--format", "ndjson"]);
  const events = all.stdout.trim().split("\n");
  expect(events).toHaveLength(2);
  for (const event of events) {
    const { event_key: key } = JSON.parse(event) as { event_key: string };
    for (const written of [key, key.toUpperCase()]) {
      const ask = `select event_key, event_name from event('${written}')`;
      expect((await sql([ask, "--format", "ndjson"])).stdout.trim()).toBe(event);
    }
  }
  const none = await sql(["from event('no key')", "--format", "csv"]);
  expect([none.code, none.stderr]).toEqual([0, "0 rows\n"]);
});

describe("the input of sql", () => {
  it("is the argument, a file or stdin", async () => {
    const file = join(home, "users.sql");
    writeFileSync(file, `\uFEFF-- all users\n${users};\n`);
    const outcomes = await Promise.all([
      sql([users, "--format", "csv"]),
      sql(["--file", file, "--format", "csv"]),
      sql(["--format", "csv"], { stdin: users }),
    ]);
    for (const { code, stdout, stderr } of outcomes) {
      expect(stdout).toBe(
        'user_id,email,name\r\n1,"ann@example.com","\'=1+1"\r\n2,"bob@example.com",\r\n',
      );
      expect([code, stderr]).toEqual([0, "2 rows\n"]);
    }
  });

  it("starts no prompt if it is given, also on a terminal", async () => {
    const file = join(home, "one.sql");
    writeFileSync(file, "select 1 as one");
    for (const given of [["select 1 as one"], ["--file", file]])
      expect(await sql([...given, "--format", "csv"], { isTTY: true })).toMatchObject({
        code: 0,
        stdout: "one\r\n1\r\n",
      });
  });

  it("is required exactly once", async () => {
    expect(await sql([])).toMatchObject({ code: 2, stderr: expect.stringContaining("no query") });
    expect(await sql([users, "--file", "x.sql"])).toMatchObject({ code: 2 });
    expect(await sql([], { stdin: "  \n" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("contains no statement"),
    });
  });

  it("is refused if the file is unreadable, or not text", async () => {
    const binary = join(home, "binary.sql");
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
    const [missing, garbled] = await Promise.all([
      sql(["--file", join(home, "none.sql")]),
      sql(["--file", binary]),
    ]);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot read the query.*none\.sql/),
    });
    expect(garbled).toMatchObject({ code: 2, stderr: expect.stringContaining("not UTF-8") });
  });
});

describe("the output of sql", () => {
  it("has every format of rows", async () => {
    const formats = ["table", "csv", "tsv", "json", "ndjson", "markdown"];
    const outcomes = await Promise.all(formats.map((format) => sql([users, "--format", format])));
    expect(outcomes.map(({ code }) => code)).toEqual(formats.map(() => 0));
    expect(JSON.parse(outcomes[3]!.stdout)).toEqual([
      { user_id: 1, email: "ann@example.com", name: "=1+1" },
      { user_id: 2, email: "bob@example.com", name: null },
    ]);
    // Markdown would make a link of the address.
    const shown = outcomes.map(({ stdout }) => /bob@[^a-z]{0,9}example/.test(stdout));
    expect(shown).not.toContain(false);
  });

  it("is a file in the format of its extension, unchanged with --raw", async () => {
    const out = join(home, "users.csv");
    const outcome = await sql([users, "--out", out, "--raw"]);
    expect(outcome).toMatchObject({ code: 0, stdout: "", stderr: `2 rows, ${out}\n` });
    expect(readFileSync(out, "utf8")).toContain('1,"ann@example.com","=1+1"');
  });

  it("leaves no file behind when the query fails", async () => {
    const out = join(home, "failed.csv");
    expect(await sql(["select cast(email as integer) from users", "--out", out])).toMatchObject({
      code: 1,
    });
    expect(existsSync(out)).toBe(false);
  });

  it("prints what to do about parquet", async () => {
    const outcome = await sql([users, "--out", join(home, "users.parquet")]);
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("report run NAME --format parquet"),
    });
  });

  it("is cut with a message and an exit code", async () => {
    const outcome = await sql(["select * from range(10)", "--max-rows", "3", "--format", "ndjson"]);
    expect(outcome).toEqual({
      code: 6,
      stdout: '{"range":0}\n{"range":1}\n{"range":2}\n',
      stderr:
        "3 rows\nwarning: output ends after 3 rows (--max-rows), the result has more; select fewer rows or columns\n",
    });
  });

  it("shows a plan with its lines", async () => {
    const outcome = await sql(["select email from users order by name", "--explain"]);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout.split("\n").length).toBeGreaterThan(5);
    expect(outcome.stdout).toContain("user_history");
  });
});

describe("a failure of sql", () => {
  it("shows the database's error with its place, controls escaped, values omitted", async () => {
    const [misspelt, controls, values] = await Promise.all([
      sql(["select emial from users"]),
      sql(["select error(chr(27) || '[2Jx')"]),
      sql(["select cast(email as integer) from users"]),
    ]);
    expect(misspelt).toMatchObject({ code: 1 });
    expect(misspelt.stderr).toMatch(
      /^error: Binder Error: Referenced column "emial" not found.*\nLINE 1: select emial from users\n +\^\nhint: /,
    );
    expect(controls.stderr).toBe("error: Invalid Input Error: \\u001b[2Jx\n");
    expect(values.stderr).not.toContain("ann@");
    expect(values.stderr).toContain("try_cast");
  });

  it("after the first rows is not treated as the end of the rows", async () => {
    const late =
      "select case when i = 900000 then error('late') else i::varchar end as x from range(1000000) as r(i)";
    const outcome = await sql([late, "--format", "csv", "--max-rows", "5000000"]);
    expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringMatching(/^error: .*late/)]);
  });

  it("is reported for anything but one SELECT without parameters, with exit code 2", async () => {
    const [written, explained, several, asked, elsewhere] = await Promise.all([
      sql(["delete from event_rows"]),
      sql(["explain analyze select 1"]),
      sql(["select 1; select 2"]),
      sql(["select $a as a"]),
      sql(["select 1", "--engine", "trino", "--explain"]),
    ]);
    expect(written).toMatchObject({ code: 2, stderr: expect.stringContaining("only SELECT") });
    expect(explained).toMatchObject({ code: 2, stderr: expect.stringContaining("--explain") });
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("one statement") });
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("1 parameter(s)") });
    const here = expect.stringContaining(
      "--explain works only on the published file; omit --engine",
    );
    expect(elsewhere).toMatchObject({ code: 2, stderr: here });
  });

  it("occurs at the time limit", async () => {
    const outcome = await sql(["select sleep_ms(600000)", "--timeout", "1s"]);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("stopped after 1 s"),
    });
  });

  it("exits with 130 when interrupted", async () => {
    const controller = new AbortController();
    void nextChild().then(() => controller.abort());
    const outcome = await sql(["select sleep_ms(600000)"], { signal: controller.signal });
    expect(outcome).toEqual({ code: 130, stdout: "", stderr: "interrupted\n" });
  });

  it("is reported for contradicting flags", async () => {
    expect(await sql([users, "--timeout", "soon"])).toMatchObject({ code: 2 });
    expect(await sql([users, "--max-rows", "0"])).toMatchObject({ code: 2 });
  });

  it("prints what to run when nothing is published", async () => {
    const outcome = await runCli(["--home", join(home, "none"), "sql", "select 1"]);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/run auditlake --home \S+ ingest/),
    });
  });
});
