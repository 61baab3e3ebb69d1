import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { harmlessFigure, verifyFigure } from "./verify.ts";

test("no mutation is reported as proven", { timeout: 300_000 }, async () => {
  const { done, failures } = await verifyFigure.run(getShort(verifyFigure), 9, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBeGreaterThan(0);
});

test("each harmless change is reported as proven", { timeout: 300_000 }, async () => {
  const { failures } = await harmlessFigure.run(getShort(harmlessFigure), 1, () => undefined);
  expect(failures).toEqual([]);
});
