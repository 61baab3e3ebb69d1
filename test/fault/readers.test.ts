import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { readersFigure } from "./readers.ts";

test("readers always see a complete file while it is replaced", { timeout: 900_000 }, () =>
  expectFigure(readersFigure, 1),
);
