import { expect, test } from "vitest";
import { nightsFigure } from "./scheduled-runs.ts";

test("day after day", { timeout: 900_000 }, async () => {
  const { done, failures } = await nightsFigure.run(nightsFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(nightsFigure.short);
});
