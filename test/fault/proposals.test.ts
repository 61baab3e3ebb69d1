import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { proposalsFigure } from "./proposals.ts";

test("a proposed permission set covers exactly the observed uses", { timeout: 120_000 }, () =>
  expectFigure(proposalsFigure, 2),
);
