import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { lockStormFigure } from "./lock-storm.ts";

test("of runs that start at once exactly one gets the lock", { timeout: 900_000 }, () =>
  expectFigure(lockStormFigure, 1),
);
