import { expect, test } from "vitest";
import { warning } from "../../../../pipeline/base/notice/notice.ts";
import {
  type Line,
  formatLine,
  mapTexts,
  plainPrinter,
  printer,
} from "../../../../pipeline/base/notice/printer.ts";
import { testWorld } from "../../../support/world.ts";

const notice = warning("log_set_aside", { log: "w.wal", why: "is of no use", to: "w.wal.old" });
const sentence = "w.wal is of no use; it was renamed to w.wal.old";

test.each([
  ["every line and notice", {}, `a\nb\nwarning: ${sentence}\n`],
  ["notices alone under quiet", { quiet: true as const }, `warning: ${sentence}\n`],
])("a printer prints %s, and hands notices over as data", (_, flags, expected) => {
  const noticed: unknown[] = [];
  const world = testWorld({ noticed: (each) => void noticed.push(each) });
  const print = plainPrinter(world, flags);
  for (const line of ["a\nb", notice]) print(line);
  expect(world.err()).toBe(expected);
  expect(noticed).toEqual([notice]);
});

test("a line that looks like a warning is no notice, and stays one line", () => {
  const noticed: unknown[] = [];
  const world = testWorld({ noticed: (each) => void noticed.push(each) });
  printer(world)("warning: a\nb");
  expect([world.err(), noticed]).toEqual(["warning: a\\u000ab\n", []]);
});

test("texts are changed in lines and in the facts of notices, numbers are not", () => {
  const hide = (text: string): string => text.replaceAll("secret", "***");
  const skipped = warning("batch_missed", {
    target: "hook",
    batch: 2,
    rows: 3,
    outcome: "is refused",
    why: "it says: secret",
  });
  const changed = ["a secret", skipped].map((line: Line) => formatLine(mapTexts(line, hide)));
  expect(changed).toEqual(["a ***", "warning: hook: batch 2 (3 rows) is refused: it says: ***"]);
});
