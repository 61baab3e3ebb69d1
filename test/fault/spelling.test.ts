import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { spellingFigure } from "./spelling.ts";
import { makePlan, runBatch, type Plan } from "./spelling/batch.ts";
import { fewOrAll } from "./length.ts";

test("a log in another notation adds nothing", { timeout: 600_000 }, () =>
  expectFigure(spellingFigure),
);

test("seeds of notations that failed before", { timeout: 120_000 }, async () => {
  // Whole numbers with an exponent in CSV, on one side or both.
  const hard = [100, 467, 474, 476, 546, 738, 913, 1020, 1287, 1721, 1827, 1985];
  const seeds = fewOrAll(hard.slice(0, 2), hard);
  expect(await runBatch(seeds.map(makePlan))).toEqual([]);
});

test("the simulation detects a different record", { timeout: 120_000 }, async () => {
  const plan = makePlan(1);
  const [first, ...rest] = plan.logs[1];
  const changed = new Map(first).set("docker_image", { is: "text", text: "another" });
  const log = [changed, ...rest];
  const same: Plan = { ...plan, spellings: [plan.spellings[0], plan.spellings[0]] };
  const failures = await runBatch([{ ...same, logs: [plan.logs[0], log] }]);
  expect(failures).toEqual([expect.stringContaining("1 new, 1 missing")]);
});
