import { describe, expect, it } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { PlayedLake } from "../../pipeline/adapters/lake/played-lake.ts";
import { fewOrAll } from "../length.ts";

const first = Number(process.env["VACUUM_SEED"] ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: fewOrAll(1, 20) }, (_, i) => first + i);

describe("publications and vacuums in any order, with any retention", () => {
  it.each(seeds)(
    "leave intact the newest publication and those within the retention, seed %i",
    async (seed) => {
      const random = newRandom(seed, "vacuums");
      using lake = await PlayedLake.begin(random);
      let removed = 0;
      for (let n = 0; n < 60; n++) {
        lake.wait();
        await lake.publish(random.pick(["feedfeedfeedfeed", "beefbeefbeefbeef"]));
        if (random.chance(0.75)) continue;
        removed += await lake.vacuum(random.pick([1, 24, 7 * 24, 30 * 24, 90 * 24]));
        expect([n, await lake.faults()]).toEqual([n, []]);
      }
      expect(removed).toBeGreaterThan(10);
    },
  );
});
