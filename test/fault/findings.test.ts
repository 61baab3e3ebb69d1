import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { findingsFigure } from "./findings.ts";

test(
  "a log that is loaded in pieces raises the findings of the complete log",
  { timeout: 600_000 },
  async () => {
    const { note } = await expectFigure(findingsFigure, 1);
    expect(note).not.toMatch(/^0 findings/);
  },
);
