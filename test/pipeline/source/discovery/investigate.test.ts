import { describe, expect, it } from "vitest";
import { findingsOf, namesOf, readAll } from "./found.ts";
import { hasRoom, planOf, shapes, styles } from "./plans.ts";
import { play } from "./service.ts";

const seeds = Number(process.env["DISCOVERY_SEEDS"] ?? 8);

const kinds = styles.flatMap((style) =>
  shapes.filter((shape) => hasRoom(style, shape)).map((shape) => ({ style, shape })),
);

describe("a service of any kind is read whole by what is found", () => {
  it.each(kinds)("$style, $shape", async ({ style, shape }) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const plan = planOf(seed, { style, shape });
      await using service = await play(plan);
      const findings = await findingsOf(service.url);
      const seen = { seed, ...findings, asked: service.asked };
      const label = JSON.stringify({ ...plan, rows: plan.rows.length, seen });
      expect(findings.audits, label).toBeDefined();
      expect(service.requests(), label).toBeLessThanOrEqual(20);
      expect(findings.requests, label).toBe(service.requests());
      expect(await readAll(service.url, findings.audits!, plan), label).toEqual(namesOf(plan.rows));
    }
  });
});
