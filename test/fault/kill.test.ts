import { expect, test } from "vitest";
import { killFigure } from "./kill.ts";

test("kill -9 at random moments", { timeout: 900_000 }, async () => {
  const { done, failures } = await killFigure.run(killFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(killFigure.short);
});
