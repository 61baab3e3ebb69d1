import { expect, test } from "vitest";
import { proposalsFigure } from "./proposals.ts";

test(
  "a proposed permission set covers exactly the observed uses",
  { timeout: 120_000 },
  async () => {
    const { done, failures } = await proposalsFigure.run(proposalsFigure.short, 2, () => undefined);
    expect(failures).toEqual([]);
    expect(done).toBe(proposalsFigure.short);
  },
);
