import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { bodiesFigure } from "./bodies.ts";

test("mutated page bodies lose no record", { timeout: 600_000 }, async () => {
  const count = getShort(bodiesFigure);
  const { done, failures } = await bodiesFigure.run(count, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
