import { expect, test } from "vitest";
import { evidenceFigure } from "./evidence.ts";
import { getShort } from "./figure.ts";

test(
  "runs that are killed leave no two signed heads that disagree",
  { timeout: 600_000 },
  async () => {
    const count = getShort(evidenceFigure);
    const { done, failures } = await evidenceFigure.run(count, 1, () => undefined);
    expect(failures).toEqual([]);
    expect(done).toBe(count);
  },
);
