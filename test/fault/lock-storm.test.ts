import { expect, test } from "vitest";
import { shortOf } from "./figure.ts";
import { lockStormFigure } from "./lock-storm.ts";

test("runs that start at once", { timeout: 900_000 }, async () => {
  const count = shortOf(lockStormFigure);
  const { done, failures } = await lockStormFigure.run(count, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
