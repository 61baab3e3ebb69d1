import { expect, test } from "vitest";
import { scheduledRunsFigure } from "./scheduled-runs.ts";

test("a year of scheduled runs loses and duplicates nothing", { timeout: 900_000 }, async () => {
  const { done, failures } = await scheduledRunsFigure.run(scheduledRunsFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(scheduledRunsFigure.short);
});
