import { test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { lakePublicationsFigure } from "./lake-publications.ts";

test(
  "a home that prunes daily has the same lake as one that does not prune",
  { timeout: 900_000 },
  () => expectFigure(lakePublicationsFigure, 1),
);
