import { expect, test } from "vitest";
import { playHistories } from "../../queries/timeline/compare.ts";
import { fewOrAll } from "../length.ts";

// The laboratory plays a thousand histories (test/fault/rights.ts). More seeds: TIMELINE_SEEDS=1,2,3
const seeds = (process.env["TIMELINE_SEEDS"] ?? "1").split(",").map(Number);

test.each(seeds)(
  "the newest evidence decides, except in a coverage gap, seed %i",
  { timeout: 120_000 },
  async (seed) => {
    const { complaints, compared, evidence } = await playHistories(fewOrAll(12, 50), seed);
    expect(complaints).toEqual([]);
    expect(compared).toBeGreaterThan(fewOrAll(120, 500));
    expect([...evidence].sort()).toEqual(["contradicted", "inferred", "logged", "seen", "unknown"]);
  },
);
