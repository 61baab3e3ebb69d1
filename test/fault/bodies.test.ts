import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { bodiesFigure } from "./bodies.ts";

test("mutated page bodies lose no record", { timeout: 600_000 }, () => expectFigure(bodiesFigure));
