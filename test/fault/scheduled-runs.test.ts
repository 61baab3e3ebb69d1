import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { scheduledRunsFigure } from "./scheduled-runs.ts";

test("a year of scheduled runs loses and duplicates nothing", { timeout: 900_000 }, () =>
  expectFigure(scheduledRunsFigure, 1),
);
