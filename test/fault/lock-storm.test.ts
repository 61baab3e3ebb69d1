import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { lockStormFigure } from "./lock-storm.ts";

test("of runs that start at once exactly one gets the lock", { timeout: 900_000 }, async () => {
  const count = getShort(lockStormFigure);
  const { done, failures } = await lockStormFigure.run(count, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
