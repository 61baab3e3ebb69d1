import { expect, test } from "vitest";
import { clocksFigure } from "./clocks.ts";
import { runBatch } from "./clocks/batch.ts";
import { expectFigure } from "./expect-figure.ts";
import { fewOrAll } from "./length.ts";

test("clocks: wrong clocks in one run, then an outage", { timeout: 600_000 }, () =>
  expectFigure(clocksFigure),
);

// Each lost events, or finalized a window while incomplete, as long as the service's clock alone closed a window.
const hardSeeds = [18, 24, 3, 8, 13, 29, 30];

test("seeds of wrong clocks that failed before", { timeout: 600_000 }, async () => {
  expect(await runBatch(fewOrAll(hardSeeds.slice(0, 1), hardSeeds))).toEqual([]);
});
