import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { readersFigure } from "./readers.ts";

test("readers always see a complete file while it is replaced", { timeout: 900_000 }, async () => {
  const count = getShort(readersFigure);
  const { done, failures } = await readersFigure.run(count, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});
