import { expect, test } from "vitest";
import { bodiesFigure } from "./bodies.ts";

test("mutated page bodies lose no record", { timeout: 600_000 }, async () => {
  const { done, failures } = await bodiesFigure.run(bodiesFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(bodiesFigure.short);
});
