import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { rightsFigure } from "./rights.ts";
import { fewOrAll } from "./length.ts";

test("the newest evidence decides on rights", { timeout: 120_000 }, () =>
  expectFigure(rightsFigure, 2),
);

// A second of several changes ended a coverage gap, and a later reading, or a later change, showed permissions that
// it had not left.
test("seeds of rights that failed before", { timeout: 120_000 }, async () => {
  for (const seed of fewOrAll([58], [48, 58])) {
    const { failures } = await rightsFigure.run(rightsFigure.perSeed!, seed, () => undefined);
    expect(failures).toEqual([]);
  }
});
