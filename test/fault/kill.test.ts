import { expect, test } from "vitest";
import { shortOf } from "./figure.ts";
import { killFigure } from "./kill.ts";

test("kill -9 at random moments", { timeout: 900_000 }, async () => {
  const count = shortOf(killFigure);
  const { done, failures } = await killFigure.run(count, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
