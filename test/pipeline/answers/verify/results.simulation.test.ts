import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportForged, readMeta, writeMeta } from "../../../fault/verify/asked.ts";
import { type Bed, findNewestHead, makeBed, must } from "../../../fault/verify/bed.ts";
import { readLines, sha256, writeLines } from "../../../fault/verify/landed.ts";

// Results that need a history: pruned reads, another program, a home without a key.

let bed: Bed;
beforeAll(async () => {
  bed = await makeBed();
});
afterAll(() => bed[Symbol.dispose]());

async function exportRange(own: Bed, report: string, since: string): Promise<string> {
  const file = join(own.folder, `${report}-${since}.csv`);
  const range = ["--since", since, "--until", "2026-03-05"];
  await must(own, ["report", "run", report, ...range, "--out", file, "--meta"]);
  return file;
}

async function verifyLine(own: Bed, file: string, ...flags: string[]): Promise<string> {
  const { out, err } = await own.run([
    "verify",
    file,
    "--head",
    findNewestHead(own.folder),
    ...flags,
  ]);
  return out.split("\n")[0] || err;
}

test("a report with the scope range needs no page of a pruned read outside its range", async () => {
  using own = bed.copy();
  const [before, local] = [
    await exportRange(own, "denials_list", "2026-03-04"),
    own.exports[0]!.file,
  ];
  await must(own, ["prune", "--before", "2026-03-03", "--yes"]);
  const after = await exportRange(own, "denials_list", "2026-03-04");
  const whole = await exportRange(own, "first_seen", "2026-03-04");
  const { out, err } = await own.run(["verify", before, "--head", findNewestHead(own.folder)]);
  expect([out.split(":")[0], err]).toEqual(["proven", ""]);
  expect(await verifyLine(own, after)).toMatch(/^proven: /);
  expect(await verifyLine(own, local)).toMatch(/^stored pages pruned: read \S+ was pruned$/);
  expect(await verifyLine(own, whole)).toMatch(/^stored pages pruned: read \S+ was pruned$/);
});

test("a bundle of a pruned home is verified the same", async () => {
  using own = bed.copy();
  const file = await exportRange(own, "denials_list", "2026-03-04");
  await must(own, ["prune", "--before", "2026-03-03", "--yes"]);
  const bundle = join(own.folder, "bundle");
  expect(await verifyLine(own, file, "--bundle", bundle)).toMatch(/^proven: /);
  const script = [join(bundle, "verify.mjs"), join(bundle, "denials_list-2026-03-04.csv")];
  const out = execFileSync(process.execPath, script, { encoding: "utf8" });
  expect(out).toMatch(/^stored pages match the log: no head from elsewhere was given\n$/);
});

test("other bytes of a program that the log names belong to another version", async () => {
  using own = bed.copy();
  const program = { version: "0.0.1", catalog_sha256: sha256("c"), bundle_sha256: sha256("b") };
  const lines = readLines(own.landing);
  const at = "2026-03-05T03:00:00.000Z";
  const leaf = { v: 1, index: lines.length, kind: "program", ...program, at };
  writeLines(own.landing, [...lines, JSON.stringify(leaf)]);
  await must(own, ["publish"]);
  const file = await exportRange(own, "denials_list", "2026-03-01");
  const meta = readMeta(file);
  // As if the other program had taken the range for another one.
  const other = { ...meta, parameters: { ...meta.parameters, since: "2026-03-02T00:00:00Z" } };
  writeMeta(file, { ...other, program });
  expect(await verifyLine(own, file)).toMatch(
    /^produced by another version: the file has \d+ rows, expected \d+ from the stored pages$/,
  );
  writeMeta(file, { ...other, program: { ...program, version: "0.0.2" } });
  expect(await verifyLine(own, file)).toMatch(/^does not match the stored pages: /);
  writeMeta(file, { ...meta, program });
  expect(await verifyLine(own, file)).toMatch(/^proven: /);
});

test("a changed row is named by its columns", async () => {
  using own = bed.copy();
  const one = own.exports[0]!;
  const text = readFileSync(one.file, "utf8").replace("192.0.2.0", "198.51.100.9");
  writeFileSync(one.file, text);
  writeMeta(one.file, { ...readMeta(one.file), sha256: sha256(text) });
  expect(await verifyLine(own, one.file)).toBe(
    "does not match the stored pages: rows differ in ip_address",
  );
});

test("a file without a key is only consistent, and so are unsigned entries", async () => {
  using own = bed.copy();
  for (const name of ["head", "key.pub"]) rmSync(join(own.landing, "log", name));
  writeFileSync(join(own.folder, "auditlake.json"), "{}", { mode: 0o600 });
  await must(own, ["publish"]);
  await exportForged(own, own.exports[0]!);
  const { evidence } = readMeta(own.exports[0]!.file);
  expect(evidence).toEqual({
    head: expect.stringMatching(/^[^\n]+\n\d+\n[^\n]+\n$/),
    public_key: null,
  });
  const head = join(own.folder, "unsigned");
  writeFileSync(head, evidence.head);
  const { code, out } = await own.run(["verify", own.exports[0]!.file, "--head", head]);
  expect([code, out.split("\n")[0]]).toEqual([
    3,
    "internally consistent only: the head of the description is not signed",
  ]);
});

test("a home without a log cannot be checked", async () => {
  using own = bed.copy();
  rmSync(join(own.landing, "log"), { recursive: true });
  const { code, out, err } = await own.run(["verify", own.exports[0]!.file]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/entries\.ndjson does not exist: this home has no log\n$/);
});

test("a user report and a timeline are proven, too", async () => {
  using own = bed.copy();
  const folder = join(own.folder, "own");
  mkdirSync(folder);
  const sql =
    "-- title: Mine\n-- grain: one\n-- param: least integer = 1\nselect source, count(*) as events from events group by source having count(*) >= $least order by source";
  writeFileSync(join(folder, "mine.sql"), sql);
  const file = join(own.folder, "mine.parquet");
  await must(own, ["report", "run", "mine", "--queries", folder, "--out", file, "--meta"]);
  expect(await verifyLine(own, file, "--queries", folder)).toMatch(/^proven: 1 rows of mine/);
  const timeline = join(own.folder, "timeline.csv");
  const who = ["--user", "list-7@example.com", "--since", "2026-03-01"];
  await must(own, ["investigate", ...who, "--out", timeline, "--meta"]);
  expect(await verifyLine(own, timeline)).toMatch(/^proven: \d+ rows of user_timeline/);
});

test.skipIf(process.getuid?.() === 0)(
  "a read-only home is verified in the folder for temporary files",
  async () => {
    using own = bed.copy();
    const { file } = own.exports[0]!;
    chmodSync(own.home, 0o500);
    try {
      expect(await verifyLine(own, file)).toMatch(/^proven: /);
    } finally {
      chmodSync(own.home, 0o700);
    }
  },
);
