import { expect, test } from "vitest";
import { deliveriesFigure } from "./deliveries.ts";
import { newBed } from "./deliveries/bed.ts";
import { judge } from "./deliveries/judge.ts";
import { makeActivation, makePlan } from "./deliveries/plan.ts";
import { play } from "./deliveries/trial.ts";
import { expectFigure } from "./expect-figure.ts";
import { fewOrAll } from "./length.ts";

test(
  "over five scheduled runs: no message sent twice, none forgotten, each refused row reported",
  { timeout: 600_000 },
  () => expectFigure(deliveriesFigure),
);

test("seeds of deliveries that failed before", { timeout: 120_000 }, async () => {
  // A refused update that lost its previous content, a refused removal of a row that perhaps arrived, and a refused
  // update of such a row.
  for (const seed of fewOrAll([29], [13, 29, 310]))
    expect(await play(makeActivation(seed))).toEqual([]);
  // Rows refused by a delivery of which nothing went out, and a refusal after a try that perhaps arrived.
  for (const seed of fewOrAll([26112670], [26112670, 26113116]))
    expect(await play(makePlan(seed))).toEqual([]);
});

test(
  "a receiver that refuses rows under status 200 has each refused row counted",
  { timeout: 300_000 },
  async () => {
    const isPolite = (seed: number): boolean => makePlan(seed).destination === "polite webhook";
    const seeds = Array.from({ length: 400 }, (_, at) => at + 1).filter(isPolite);
    for (const seed of fewOrAll(seeds.slice(0, 2), seeds))
      expect(await play(makePlan(seed))).toEqual([]);
  },
);

test("the simulation detects a lost row and a duplicate row", { timeout: 120_000 }, async () => {
  const plan = makeActivation(2);
  await using bed = await newBed(plan.destination, plan.batch);
  const lost = { ...bed, arrived: () => bed.arrived().filter(({ id }) => id !== "a") };
  expect(await judge(plan, lost)).toContainEqual(expect.stringMatching(/forgotten: a$/));
  await using other = await newBed(plan.destination, plan.batch);
  const doubled = { ...other, arrived: () => other.arrived().flatMap((row) => [row, row]) };
  expect(await judge(plan, doubled)).toContainEqual(expect.stringMatching(/arrived twice: /));
});
