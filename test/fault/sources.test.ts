import { expect, test } from "vitest";
import { sourcesFigure } from "./sources.ts";

test("simulated sources are stored as they showed themselves", { timeout: 600_000 }, async () => {
  const { done, failures } = await sourcesFigure.run(sourcesFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(sourcesFigure.short);
});
