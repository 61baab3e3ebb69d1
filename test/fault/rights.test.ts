import { expect, test } from "vitest";
import { rightsFigure } from "./rights.ts";

test("what is told of rights is the newest evidence", { timeout: 120_000 }, async () => {
  const { done, failures } = await rightsFigure.run(rightsFigure.short, 2, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(rightsFigure.short);
});
