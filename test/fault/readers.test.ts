import { expect, test } from "vitest";
import { readersFigure } from "./readers.ts";

test("readers while the file is replaced", { timeout: 900_000 }, async () => {
  const { done, failures } = await readersFigure.run(readersFigure.short, 1, () => {});
  expect(failures).toEqual([]);
  expect(done).toBe(readersFigure.short);
});
