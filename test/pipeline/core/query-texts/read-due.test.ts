import { type Line, formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { join } from "node:path";
import { beforeAll, afterAll, expect, test } from "vitest";
import { runFiles } from "../../../../pipeline/base/sql/statements.ts";
import { foldingFiles } from "../../../../pipeline/core/store/derived.ts";
import { openWarehouse } from "../../../../pipeline/core/store/open.ts";
import { readTexts, textShareOf } from "../../../../pipeline/core/query-texts/read-due.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { issue, waiting } from "../load/jobs-of-texts.ts";

// What a run reports of texts that it has no time to read.

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  const texts = ["select 1 from a.b", "select 1 from a.b", "select 2 from a.c"];
  await home.load(texts.map((text, i) => issue({ id: String(i + 1), day: 0, text })));
});
afterAll(() => home[Symbol.dispose]());

// Over before it has started, on any machine.
const noTimeMs = Number.MIN_VALUE;

async function said(
  isQuiet: boolean,
  of = home,
  limitMs = noTimeMs,
  world = testWorld(),
): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: Line): void => void lines.push(formatLine(line));
  const warehouse = join(of.home, "warehouse.duckdb");
  const limits = { memoryLimit: "300MB", threads: 1 };
  const printing = { nowMs: 0, print };
  await using database = await openWarehouse(warehouse, join(of.folder, "t"), limits, printing);
  await runFiles(database.connection, foldingFiles);
  await readTexts(database.connection, limitMs, world, print, isQuiet);
  return lines;
}

test("a pending text that several jobs run is counted once", async () => {
  expect(await waiting(home)).toBe(3);
  expect(await said(false)).toEqual([
    "pending query texts: 2; the next runs parse them, newest first; to parse them now: AUDITLAKE_QUERY_TEXTS_TIME_LIMIT=1h auditlake publish",
  ]);
});

test("a quiet run prints nothing about texts", async () => {
  expect(await said(true)).toEqual([]);
});

test("a run that finishes its texts at the time limit prints nothing", async () => {
  using own = newHome();
  const text = `select '${"x".repeat(300_000)}' from a.b`;
  await own.load([issue({ id: "1", day: 0, text })]);
  expect(await waiting(own)).toBe(1);
  // Not over before the text, and over after it: too long a text is noted without a process that reads it.
  let asked = 0;
  const signal = {
    get aborted(): boolean {
      return (asked += 1) > 2;
    },
  } as AbortSignal;
  expect([await said(false, own, 60_000, testWorld({ signal })), asked]).toEqual([[], 3]);
});

test("the time limit of a run for texts is a tenth of it, and at least ten seconds", () => {
  expect([0, 99_000, 101_000, 600_000].map(textShareOf)).toEqual([10_000, 10_000, 10_100, 60_000]);
});
