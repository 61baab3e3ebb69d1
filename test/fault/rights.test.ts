import { expect, test } from "vitest";
import { rightsFigure } from "./rights.ts";
import { fewOrAll } from "./length.ts";

test("the newest evidence decides on rights", { timeout: 120_000 }, async () => {
  const { done, failures } = await rightsFigure.run(rightsFigure.short, 2, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(rightsFigure.short);
});

// A second of several changes ended a coverage gap, and a later reading, or a later change, showed permissions that
// it had not left.
test("seeds of rights that failed before", { timeout: 120_000 }, async () => {
  for (const seed of fewOrAll([58], [48, 58])) {
    const { failures } = await rightsFigure.run(rightsFigure.perSeed!, seed, () => undefined);
    expect(failures).toEqual([]);
  }
});
