import { expect, test } from "vitest";
import { getShort } from "./figure.ts";
import { findingsFigure } from "./findings.ts";

test(
  "a log that is loaded in pieces raises the findings of the complete log",
  { timeout: 600_000 },
  async () => {
    const count = getShort(findingsFigure);
    const { done, failures, note } = await findingsFigure.run(count, 1, () => undefined);
    expect(failures).toEqual([]);
    expect(done).toBe(count);
    expect(note).not.toMatch(/^0 findings/);
  },
);
