import { expect } from "vitest";
import { type Figure, getShort, type Measured } from "./figure.ts";

/** Expects the short form of a figure to hold, from FAULT_SEED if it is set: each run of CI has another one. */
export async function expectFigure(figure: Figure, usualSeed = 1): Promise<Measured> {
  const seed = Number(process.env["FAULT_SEED"] ?? usualSeed);
  const count = getShort(figure);
  const measured = await figure.run(count, seed, () => undefined);
  expect(measured.failures).toEqual([]);
  expect(measured.done).toBeGreaterThanOrEqual(count);
  return measured;
}
