import { expect, test } from "vitest";
import { evidenceFigure } from "./evidence.ts";
import { getShort } from "./figure.ts";

test("killed runs leave no two contradicting signed heads", { timeout: 600_000 }, async () => {
  const count = getShort(evidenceFigure);
  const { done, failures } = await evidenceFigure.run(count, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
