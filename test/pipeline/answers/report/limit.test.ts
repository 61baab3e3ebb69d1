import { expect, test } from "vitest";
import { limitRows } from "../../../../pipeline/base/rows/row.ts";
import { buildResult, readRows, textColumns } from "./support.ts";

const batches = [[["a"], ["b"]], [], [["c"], ["d"]], [["e"]]] as const;

test.each([
  [1, ["a"]],
  [2, ["a", "b"]],
  [3, ["a", "b", "c"]],
  [9, ["a", "b", "c", "d", "e"]],
  ["all", ["a", "b", "c", "d", "e"]],
] as const)("the first %s rows are returned, with the total", async (limit, expected) => {
  const { result, total } = limitRows(buildResult(textColumns("x"), ...batches), limit);
  expect(await readRows(result)).toEqual(expected.map((text) => [text]));
  expect(total()).toBe(5);
});
