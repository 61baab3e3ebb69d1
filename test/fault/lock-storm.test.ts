import { expect, test } from "vitest";
import { lockStormFigure } from "./lock-storm.ts";

test("runs that start at once", { timeout: 900_000 }, async () => {
  const { done, failures } = await lockStormFigure.run(lockStormFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(lockStormFigure.short);
});
