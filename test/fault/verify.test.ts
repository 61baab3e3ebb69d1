import { afterAll, beforeAll, expect, test } from "vitest";
import { type Figure, getShort, makeSeed } from "./figure.ts";
import { harmlessFigure, verifyFigure } from "./verify.ts";
import { type Bed, makeBed } from "./verify/bed.ts";
import { type Kind, verifyChanged } from "./verify/trial.ts";

let bed: Bed;
beforeAll(async () => {
  bed = await makeBed();
}, 120_000);
afterAll(() => bed[Symbol.dispose]());

async function verifyFew(figure: Figure, kind: Kind, first: number): Promise<string[]> {
  const seeds = Array.from({ length: getShort(figure) }, (_, i) =>
    makeSeed(Number(process.env["FAULT_SEED"] ?? first), i),
  );
  return (await verifyChanged(kind, seeds, bed, () => undefined)).complaints;
}

test("no mutation is reported as proven", { timeout: 300_000 }, async () => {
  expect(await verifyFew(verifyFigure, "mutations", 9)).toEqual([]);
});

test("each harmless change is reported as proven", { timeout: 300_000 }, async () => {
  expect(await verifyFew(harmlessFigure, "harmless", 1)).toEqual([]);
});
