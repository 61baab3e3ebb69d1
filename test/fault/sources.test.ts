import { expect, test } from "vitest";
import { shortOf } from "./figure.ts";
import { sourcesFigure } from "./sources.ts";

test("simulated sources are stored as they showed themselves", { timeout: 600_000 }, async () => {
  const count = shortOf(sourcesFigure);
  const { done, failures } = await sourcesFigure.run(count, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
