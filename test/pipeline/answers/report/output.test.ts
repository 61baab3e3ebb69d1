import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatRowCount } from "../../../../pipeline/answers/report/output.ts";
import { rowFormats } from "../../../../pipeline/answers/report/formats.ts";
import { writePublished } from "../../published-file.ts";
import { type Outcome, runCli } from "../../cli/run-cli.ts";

// 120 rows, and columns of which only the first two fit 80 characters.
const wide = `select range as n, repeat('x', 100) as a, repeat('y', 100) as b, repeat('z', 100) as c,
  repeat('q', 100) as d, timestamp '2026-11-17 11:22:25' as t from range(120) order by n`;
const note = "2 columns not shown: d, t; use --format lines or csv, or a wider terminal\n";

let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  await writePublished(join(home, "audit.duckdb"), []);
  writeFileSync(join(home, "wide.sql"), `-- title: Wide?\n-- grain: one row per n\n${wide}\n`);
});
afterAll(() => rmSync(home, { recursive: true }));

function report(argv: readonly string[], given = {}): Promise<Outcome> {
  return runCli(["--home", home, "report", "run", "wide", "--queries", home, ...argv], given);
}

function sql(argv: readonly string[], given = {}): Promise<Outcome> {
  return runCli(["--home", home, "sql", wide, ...argv], given);
}

const lines = (text: string): number => text.split("\n").length - 1;

describe("a table on a terminal", () => {
  it("shows 50 rows and the columns that fit, and reports both limits", async () => {
    const [reported, asked] = await Promise.all([
      report([], { isTTY: true, columns: 80 }),
      sql([], { isTTY: true, columns: 80 }),
    ]);
    expect(reported.stdout).toBe(asked.stdout);
    expect(lines(reported.stdout)).toBe(52);
    expect(Math.max(...reported.stdout.split("\n").map((line) => line.length))).toBe(80);
    expect(reported.stdout).toMatch(/^ +n {2}a +b +c\n/);
    expect(reported.stderr).toBe(`… ${note}showing 50 of 120 rows; --limit all gives all\n`);
    expect(asked).toMatchObject({
      code: 0,
      stderr: `… ${note}first 50 rows; --limit all gives all\n`,
    });
  });

  it("shows as many rows as --limit, in the width of COLUMNS", async () => {
    const given = { isTTY: true, columns: 80, env: { COLUMNS: "160" } };
    const { stdout, stderr } = await report(["--limit", "7"], given);
    expect([lines(stdout), stderr]).toEqual([9, "showing 7 of 120 rows\n"]);
    expect(stdout).toContain("2026-11-17 11:22:25\n");
    expect((await report(["--limit", "all"], given)).stderr).toBe("120 rows\n");
    expect((await sql(["--limit", "120"], given)).stderr).toBe("120 rows\n");
  });
});

describe("all other output is complete", () => {
  it("in a pipe, in another format and in a file", async () => {
    const out = join(home, "x.txt");
    const [piped, csv, file] = await Promise.all([
      report([]),
      report(["--format", "csv"], { isTTY: true }),
      report(["--out", out], { isTTY: true }),
    ]);
    expect([lines(piped.stdout), lines(csv.stdout)]).toEqual([122, 121]);
    expect(piped.stderr).toBe("120 rows\n");
    expect(piped.stdout).toMatch(/^ +n {2}a +b +c +d +t\n/);
    expect(piped.stdout).not.toContain("…");
    expect([csv.stderr, file.stderr]).toEqual(["120 rows\n", `wide: 120 rows, ${out}\n`]);
    const text = readFileSync(out, "utf8");
    expect(lines(text)).toBe(122);
    expect(text).toMatch(/^ +n {2}a +b +c +d +t\n/);
  });

  it("unless --limit is given", async () => {
    const out = join(home, "x.ndjson");
    expect((await report(["--limit", "3", "--out", out])).stderr).toBe(
      `wide: showing 3 of 120 rows, ${out}\n`,
    );
    expect(lines(readFileSync(out, "utf8"))).toBe(3);
    const limited = await sql(["--limit", "3", "--format", "ndjson"]);
    expect(limited).toMatchObject({ code: 0, stderr: "first 3 rows\n" });
  });
});

describe("text with terminal sequences", () => {
  const codes = [0x1b, 0x7f, 0x9b, 0x202e, 0x2066, 0x200f];
  const hostile = `select ${codes.map((code) => `chr(${code})`).join(" || ")} || 'é' as "a\u202e"`;
  const raw = `${String.fromCodePoint(...codes)}é`;
  const escaped = String.raw`\u001b\u007f\u009b\u202e\u2066\u200fé`;
  const show = async (...argv: string[]): Promise<string> =>
    (await runCli(["--home", home, "sql", hostile, ...argv], { isTTY: true, columns: 80 })).stdout;
  const pipe = async (...argv: string[]): Promise<string> =>
    (await runCli(["--home", home, "sql", hostile, ...argv])).stdout;

  it("is shown escaped in every format", async () => {
    for (const format of rowFormats) {
      const text = await show("--format", format);
      expect(text, format).toContain("é");
      expect(text.replaceAll(/\r?\n/g, ""), format).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(await show("--format", "csv")).toBe(`"a\\u202e"\r\n"'${escaped}"\r\n`);
  });

  it("is unchanged in CSV and TSV for a pipe, for a file and under --raw", async () => {
    const out = join(home, "hostile.csv");
    expect(await pipe("--format", "csv")).toBe(`"a\u202e"\r\n"'${raw}"\r\n`);
    expect(await show("--format", "tsv", "--raw")).toBe(`"a\u202e"\n"${raw}"\n`);
    await show("--out", out);
    expect(readFileSync(out, "utf8")).toBe(`"a\u202e"\r\n"'${raw}"\r\n`);
  });

  it("is escaped in JSON in every output, with the same meaning", async () => {
    const text = await pipe("--format", "ndjson");
    expect(text).toBe(`{"a\\u202e":"${escaped}"}\n`);
    expect(JSON.parse(text)).toEqual({ "a\u202e": raw });
  });

  it("is escaped in a report", async () => {
    writeFileSync(
      join(home, "hostile.sql"),
      `-- title: Hostile?\n-- grain: one row\nselect 'x' || chr(8238) as a, 1 as n order by n\n`,
    );
    const argv = ["--home", home, "report", "run", "hostile", "--queries", home, "--format", "csv"];
    expect((await runCli(argv, { isTTY: true })).stdout).toContain(String.raw`x\u202e`);
    expect((await runCli(argv)).stdout).toContain("x\u202e");
  });
});

describe("the output of an error", () => {
  it("refuses an invalid limit", async () => {
    for (const limit of ["0", "-1", "few", "1.5"])
      expect(await report([`--limit=${limit}`])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Expected a whole number from 1, or all."),
      });
  });

  it("escapes its text", async () => {
    const outcome = await runCli(["--home", home, "import", "a\u001b[2J\u202e"]);
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(String.raw`no such file: a\u001b[2J\u202e;`),
    });
    const flag = await runCli(["--home", home, "sql", "--a\u001b[2J"]);
    expect(flag.stderr).toContain(String.raw`--a\u001b[2J`);
  });
});

it("a number of rows is printed in words", () => {
  expect(formatRowCount({ shown: 1, total: 1 })).toBe("1 row");
  expect(formatRowCount({ shown: 1, total: 2 }, 1)).toBe("showing 1 of 2 rows");
});
