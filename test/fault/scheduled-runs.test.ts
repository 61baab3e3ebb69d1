import { expect, test } from "vitest";
import { scheduledRunsFigure } from "./scheduled-runs.ts";

test("day after day", { timeout: 900_000 }, async () => {
  const { done, failures } = await scheduledRunsFigure.run(scheduledRunsFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(scheduledRunsFigure.short);
});
