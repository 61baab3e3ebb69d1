import { execFile } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { formatLines } from "../../../support/home.ts";
import { newSignedHome, type SignedHome } from "../../cli/evidence/signed-home.ts";

let home: SignedHome;
let early: string;
const records = Array.from({ length: 120 }, (_, i) => ({
  time: 1_767_225_600 + i * 3600,
  event_name: "unauthorized",
  event_result: "denied",
  id: `e${i}`,
  user_email: `user-${i % 7}@example.com`,
}));
const range = ["--since", "2026-01-01", "--until", "2026-02-01"];

beforeAll(async () => {
  home = await newSignedHome();
  await load(records.slice(0, 60));
  early = findHead();
  await load(records.slice(50));
});
afterAll(() => home[Symbol.dispose]());

async function load(read: readonly object[]): Promise<void> {
  const { code, err } = await home.run("import", home.home.write("read.ndjson", formatLines(read)));
  expect(code, err).toBe(0);
}

/** The newest head of the folder. */
function findHead(): string {
  const sizes = readdirSync(home.heads).map((name) => Number.parseInt(name, 10));
  return join(home.heads, `${Math.max(...sizes)}.checkpoint`);
}

let files = 0;
/** Exports a report with its description; resolves to the file. */
async function exportReport(name: string, format: string, ...flags: string[]): Promise<string> {
  const out = join(home.home.folder, `${name}-${(files += 1)}.${format}`);
  const { code, err } = await home.run("report", "run", name, "--out", out, "--meta", ...flags);
  expect(code, err).toBe(0);
  return out;
}

const verify = (file: string, ...flags: string[]): Promise<Outcome> =>
  home.run("verify", file, ...flags);

test.each(["ndjson", "json", "parquet", "html"])("%s is proven", async (format) => {
  const file = await exportReport("denials_list", format, ...range);
  const { code, out, err } = await verify(file, "--head", findHead());
  expect(out + err).toMatch(/^proven: 120 rows of denials_list, from 2 reads\n/);
  expect(code).toBe(0);
});

test("text options and the default time zone are those of the export", async () => {
  const flags = ["--separator", ";", "--no-header", "--limit", "3", "--raw", ...range];
  const file = await exportReport("denials_by_hour", "csv", ...flags);
  const later = home.home.write("later.json", '{"timezone":"Asia/Tokyo"}');
  const { out } = await home.run("--config", later, "verify", file, "--head", findHead());
  expect(out).toMatch(/^proven: 3 rows/);
});

test("a file without an external head, or with a smaller one, is only consistent", async () => {
  const file = await exportReport("denials_by_day", "csv", ...range);
  const alone = await verify(file);
  expect([alone.code, alone.out]).toEqual([
    3,
    expect.stringMatching(/^internally consistent only: no head from elsewhere was given\n/),
  ]);
  const { out } = await verify(file, "--head", early);
  expect(out).toMatch(/^internally consistent only: the head from elsewhere reaches to 20\d\d-/);
});

test("an uncheckable file exits with 1 and one line", async () => {
  const file = await exportReport("denials_by_day", "csv", ...range);
  const plain = home.home.write("plain.csv", "a\r\n1\r\n");
  const unknown = JSON.stringify({ ...readMeta(file), sql_sha256: "0".repeat(64) });
  for (const [argv, message] of [
    [[plain], /plain.csv.meta.json does not exist; name the description/],
    [[file, "--meta", home.home.write("no.json", "{}")], /no.json has no log head/],
    [
      [file, "--meta", home.home.write("other.json", unknown)],
      /no report has the SQL of denials_by_day/,
    ],
  ] as const) {
    const { code, out, err } = await verify(argv[0]!, ...argv.slice(1));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  }
});

test("--format json has steps, head and reads", async () => {
  const file = await exportReport("denials_by_day", "csv", ...range);
  const { out } = await verify(file, "--format", "json", "--head", findHead());
  expect(JSON.parse(out)).toEqual({
    result: "proven",
    reason: expect.any(String),
    steps: [1, 2, 3, 4, 5].map((step) => ({ step, result: "holds", detail: expect.any(String) })),
    head: readMeta(file).evidence.head,
    reads: 2,
  });
});

test("a bundle is checked without the program, also by Node 20", async () => {
  const file = await exportReport("denials_by_day", "csv", ...range);
  const bundle = join(home.home.folder, "bundle");
  const head = findHead();
  expect((await verify(file, "--head", head, "--bundle", bundle)).code).toBe(0);
  const script = join(bundle, "verify.mjs");
  const name = file.slice(file.lastIndexOf("/") + 1);
  const check = async (...flags: string[]): Promise<string> => {
    const argv = [script, join(bundle, name), ...flags];
    const run = promisify(execFile);
    return run(process.execPath, argv).then(
      ({ stdout }) => stdout,
      (error: unknown) => String((error as { stdout: string }).stdout),
    );
  };
  expect(await check("--head", head)).toBe("stored pages match the log: 2 reads\n");
  expect(readFileSync(script, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  expect(readFileSync(script, "utf8")).not.toMatch(/from "(?!node:)/);
  const page = join(bundle, "pages", readdirSync(join(bundle, "pages"))[0]!);
  writeFileSync(page, readFileSync(page, "utf8").replace("user-1", "user-2"));
  expect(await check()).toMatch(/^stored pages changed: reads\//);
  const again = await verify(file, "--bundle", bundle);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("is not empty")]);
});

type Meta = { readonly evidence: { readonly head: string } };

function readMeta(file: string): Meta {
  return JSON.parse(readFileSync(`${file}.meta.json`, "utf8")) as Meta;
}
