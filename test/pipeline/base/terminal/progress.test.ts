import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { newProgress } from "../../../../pipeline/base/terminal/progress.ts";
import { testWorld } from "../../../support/world.ts";

it("a bar starts without a note, and is cleared at the end", () => {
  const world = testWorld();
  Object.assign(world.stderr, { isTTY: true, columns: 80 });
  const progress = newProgress("auto", false, 4, "windows", world);
  expect(stripVTControlCharacters(world.err())).toMatch(/ 0% \| 0\/4 windows \| $/);
  progress.update(2, "prod");
  progress.end();
  expect(stripVTControlCharacters(world.err())).not.toContain("undefined");
});

it("a line is written every five seconds without a terminal, with a new total if it changed", () => {
  let nowMs = 0;
  const stderr = new PassThrough();
  const world = testWorld({ now: () => nowMs, stderr });
  for (const mode of ["plain", "json"] as const) {
    nowMs = 0;
    const progress = newProgress(mode, false, 4, "windows", world);
    for (const [ms, total] of [
      [4999, undefined],
      [5000, undefined],
      [9999, 8],
      [10_000, 8],
    ] as const) {
      nowMs = ms;
      progress.update(2, "prod", total);
    }
    progress.end();
  }
  expect(String(stderr.read())).toBe(
    [
      "2/4 windows: prod",
      "2/8 windows: prod",
      '{"done":2,"total":4,"unit":"windows","note":"prod"}',
      '{"done":2,"total":8,"unit":"windows","note":"prod"}',
      "",
    ].join("\n"),
  );
});

it("nothing is written in quiet mode, or for mode none", () => {
  const world = testWorld();
  Object.assign(world.stderr, { isTTY: true, columns: 80 });
  for (const progress of [
    newProgress("auto", true, 4, "windows", world),
    newProgress("none", false, 4, "windows", world),
  ]) {
    progress.update(2, "prod");
    progress.end();
  }
  expect(world.err()).toBe("");
});
