import { expect } from "vitest";
import { type Figure, getShort, type Measured } from "./figure.ts";

const drawnSeed = Number(process.env["FAULT_SEED"] ?? 1);

/** Expects the short form of a figure to hold from a seed; without one, each run of CI draws another. */
export async function expectFigure(figure: Figure, seed = drawnSeed): Promise<Measured> {
  const count = getShort(figure);
  const measured = await figure.run(count, seed, () => undefined);
  expect(measured.failures).toEqual([]);
  expect(measured.done).toBeGreaterThanOrEqual(count);
  return measured;
}
