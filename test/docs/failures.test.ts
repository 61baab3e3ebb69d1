import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectPath } from "./pages.ts";

// docs/failures.md: each failure has a test, or says that it does not apply.

const row = /^\| (\d+) \| ([^|]+) \| ([^|]+) \| (.+) \|$/gm;
const named = /\[[^\]]+\]\(\.\.\/(test\/[^)]+)\): `([^`]+)`/g;

const rows = [...readFileSync(projectPath("docs/failures.md"), "utf8").matchAll(row)].map(
  ([, number, , prevention, tests]) => ({
    number: Number(number),
    prevention: prevention!,
    tests: [...tests!.matchAll(named)].map(([, file, name]) => ({ file: file!, name: name! })),
    text: tests!,
  }),
);

/** The titles in a test file: texts that begin a call and are followed by what is called. */
function readTitles(file: string): string[] {
  const path = projectPath(file);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  const title = /\(\s*"((?:[^"\\]|\\.)*)",\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\(/g;
  return [...source.matchAll(title)].map(([, text]) => JSON.parse(`"${text}"`) as string);
}

test("the failures are numbered from 1 to 46", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 46 }, (_, i) => i + 1));
});

test("each failure names a test that exists, or is marked as not applicable", () => {
  const wrong = rows.filter(({ prevention, tests, text }) =>
    tests.length === 0
      ? !prevention.startsWith("does not apply: ") || text !== "none"
      : tests.length !== text.split("<br>").length,
  );
  expect(wrong).toEqual([]);
  const missing = rows.flatMap(({ number, tests }) =>
    tests
      .filter(({ file, name }) => !readTitles(file).includes(name))
      .map(({ file, name }) => `${number}: ${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});
