import { test } from "vitest";
import { evidenceFigure } from "./evidence.ts";
import { expectFigure } from "./expect-figure.ts";

test("killed runs leave no two contradicting signed heads", { timeout: 600_000 }, () =>
  expectFigure(evidenceFigure),
);
