import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../support/load.ts";
import { mutantsAgain, formatDeleted, type EarlierMutant } from "./again.ts";
import { changeText } from "./place.ts";

const line = "if (a < b) go();";
const notLess = "if (a <= b) go();";
const earlier = { key: "pipeline/a.ts 0 0 operator <", from: line, to: notLess };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, "pipeline"));
});
afterEach(() => folder.remove());

function again(text: string, formers: readonly EarlierMutant[]): ReturnType<typeof mutantsAgain> {
  const verdicts = join(folder.path, "seed-1.ndjson");
  writeFileSync(join(folder.path, "pipeline", "a.ts"), text);
  writeFileSync(verdicts, formers.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return mutantsAgain(folder.path, verdicts);
}

it.each([
  ["that has moved", `c();\n  ${line}\n`, `c();\n  ${notLess}\n`],
  ["that occurs twice, at the first", `${line}\n${line}\n`, `${notLess}\n${line}\n`],
])("makes the change of an earlier run again in a line %s", (_, text, expected) => {
  const { mutants, deleted } = again(text, [earlier]);
  expect(mutants.map((mutant) => changeText(text, mutant))).toEqual([expected]);
  expect(deleted).toEqual([]);
});

it("chooses among several equal lines the one nearest to the old place", () => {
  const text = `${line}\n${line}\n${line}\n`;
  const { mutants } = again(text, [{ ...earlier, key: "pipeline/a.ts 24 25 operator <" }]);
  expect(mutants.map((mutant) => changeText(text, mutant))).toEqual([
    `${line}\n${notLess}\n${line}\n`,
  ]);
});

it("counts a changed line and a missing file as deleted", () => {
  const elsewhere = { ...earlier, key: "pipeline/b.ts 0 0 operator <" };
  const { mutants, deleted } = again("if (a < c) go();\n", [earlier, elsewhere]);
  expect(mutants).toEqual([]);
  expect(deleted).toEqual([earlier, elsewhere]);
  expect(formatDeleted(deleted)).toContain("deleted: pipeline/b.ts");
  expect(formatDeleted(deleted)).toContain("2 were deleted");
});

it("runs first the test that detected it, by the last line of each mutant", () => {
  const first = { ...earlier, by: "test/first.test.ts" };
  const { mutants, earlierTests } = again(line, [first, { ...earlier, by: "test/last.test.ts" }]);
  expect(mutants.map((mutant) => earlierTests.get(mutant))).toEqual(["test/last.test.ts"]);
});
