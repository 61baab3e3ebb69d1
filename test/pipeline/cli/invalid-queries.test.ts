import { PassThrough } from "node:stream";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { programPath } from "../../support/killed.ts";

// Invalid queries, and hostile values of a log: each has its own plain message, and nothing gets through.
const escape = "\u001b";
const hostile = [
  `${escape}[31mred${escape}]0;title\u0007`,
  "\u202egnp.exe\u202c",
  "=HYPERLINK(1)",
  "@sum(a)",
];
const since = ["--since", "2026-01-01", "--until", "2026-01-02"];
let home: TestHome;

beforeAll(async () => {
  home = newHome();
  const records = hostile.map((resource_name, i) => ({
    time: 1767225600 + i,
    event_name: "query_run",
    user_id: 5,
    user_email: "ann@example.com",
    resource_name,
    query_text: `select '${"long ".repeat(200)}'`,
  }));
  // Enough to fill what a pipe holds.
  const plain = { ...records[0], time: 1767225700, resource_name: "plain" };
  const many = Array.from({ length: 300 }, (_, i) => ({ ...plain, id: `m${i}` }));
  expect((await home.load([...records, ...many])).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

const timeline = ["report", "run", "user_timeline"];
const ann = ["--param", "user=ann@example.com"];

describe("an invalid query is refused in one line, before anything is read", () => {
  it.each([
    ["no user given", [...timeline, ...since], /needs --param user=/],
    ["no moment", [...timeline, ...ann, "--since", "soon"], /"soon" is not a time/],
    ["no number", [...timeline, ...ann, "--param", "days=x"], /days: "x" is not a whole number/],
    ["half a number", [...timeline, ...ann, "--param", "days=1.5"], /is not a whole number/],
    ["no parameter of its own", [...timeline, ...ann, "--param", "dais=1"], /dais/],
    [
      "an end before the beginning",
      [...timeline, ...ann, "--since", "2026-01-02", "--until", "2026-01-01"],
      /ends before it starts; since must be before until/,
    ],
    [
      "an end before the beginning of a timeline",
      ["investigate", "--user", "5", "--since", "2026-01-02", "--until", "2026-01-01"],
      /is not before until/,
    ],
    [
      "a timeline of no time at all",
      ["investigate", "--user", "5", "--since", "2026-01-02", "--until", "2026-01-02"],
      /is not before until/,
    ],
    ["no verb of reports", ["report"], /^Usage: auditlake report/],
    ["no report", ["report", "run", "user_timelime"], /user_timeline/],
    ["no user", ["investigate", "--user", "anne@example.com"], /similar: "ann@example.com"/],
    ["no statement", ["sql", "selec 1"], /syntax error/],
    ["no table", ["sql", "select * from evnts"], /evnts/],
    [
      "no format",
      ["sql", "select 1", "--out", "/tmp/rows.xls"],
      /rows\.xls is not a known format; add/,
    ],
  ])("%s", async (_, argv, message) => {
    const { code, out, err } = await home.run(argv);
    expect([code, out, err]).toEqual([expect.any(Number), "", expect.stringMatching(message)]);
    expect([1, 2]).toContain(code);
    expect(err).not.toMatch(/\n\s+at |node:|Error:.*Error:/);
  });
});

it("a runaway query is stopped, and the error names the time limit", async () => {
  // Long on any machine, and small: a table of a thousand million numbers fills the memory first on a quick one.
  const query =
    "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range < 0";
  const { code, out, err } = await home.run(["sql", "--timeout", "1s", query]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/stopped after 1 s; .*--timeout/);
});

async function onTerminal(columns: number, argv: readonly string[]): Promise<Outcome> {
  const stdout = Object.assign(new PassThrough(), { columns, isTTY: true });
  const parts: Buffer[] = [];
  stdout.on("data", (part: Buffer) => parts.push(part));
  const ended = await home.run(argv, { stdout: stdout as unknown as NodeJS.WriteStream });
  return { ...ended, out: Buffer.concat(parts).toString("utf8") };
}

it.each([
  [...timeline, ...ann, ...since],
  ["sql", "select resource_name, query_text from events order by event_time, resource_name"],
])(
  "output fits a terminal 40 columns wide, without terminal sequences: %s %s %s",
  async (...argv) => {
    const { code, out, err } = await onTerminal(40, [...argv, "--format", "table"]);
    expect(code, err).toBe(0);
    const lines = out.split("\n");
    expect(lines.length).toBeGreaterThan(hostile.length);
    expect(lines.filter((line) => [...line].length > 40)).toEqual([]);
    expect(out).not.toMatch(/[\u001b\u0007\u202c\u202e]/);
    expect(`${out}${err}`).toMatch(/\\u202egnp|columns not shown/);
  },
);

it("a closed pipe ends the command without a message", async () => {
  const argv = ["--home", home.home, ...timeline, ...ann, ...since, "--format", "csv"];
  const child = spawn(process.execPath, [programPath, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: Buffer[] = [];
  child.stderr.on("data", (part: Buffer) => errors.push(part));
  child.stdout.once("data", () => child.stdout.destroy());
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  expect(signal).toBeNull();
  expect([0, 141]).toContain(code);
  expect(Buffer.concat(errors).toString("utf8")).not.toMatch(/EPIPE|error|at /i);
});

describe("a record's text in output", () => {
  const write = async (format: string, ...more: string[]): Promise<string> => {
    const path = join(home.folder, `out.${format}`);
    const argv = [...timeline, ...ann, ...since, "--format", format, "--out", path, ...more];
    expect(await home.run(argv)).toMatchObject({ code: 0 });
    return readFileSync(path, "utf8");
  };

  it("is not a formula in a spreadsheet, except with --raw", async () => {
    const cells = (text: string): boolean => /(^|,)"?[=@]/m.test(text);
    expect(cells(await write("csv"))).toBe(false);
    expect(await write("csv")).toContain("'=HYPERLINK(1)");
    expect(cells(await write("csv", "--raw"))).toBe(true);
  });

  it("is not a control character or direction in a page, a table or Markdown", async () => {
    for (const format of ["html", "table", "markdown"])
      expect(await write(format), format).not.toMatch(/[\u001b\u0007\u202c\u202e]/);
  });

  it("is unchanged in JSON", async () => {
    const rows = JSON.parse(await write("json")) as { object: string }[];
    expect(new Set(rows.map(({ object }) => object))).toEqual(new Set([...hostile, "plain"]));
  });
});
