import { expect, it } from "vitest";
import { printNext } from "../../../../pipeline/cli/schedule.ts";
import { testWorld } from "../../../support/world.ts";

const now = () => Date.parse("2026-11-21T10:00:00Z");

it.each([
  ["none", "no scheduled time\n", 0],
  ["0 0 30 2 *", "never: no matching day\n", 0],
  ["@daily", "", 3],
])("the schedule %j prints %j, and %i runs", (text, said, count) => {
  const world = testWorld({ now });
  printNext(text, 3, "UTC", world);
  expect([world.err(), world.out().split("\n").length - 1]).toEqual([said, count]);
});
