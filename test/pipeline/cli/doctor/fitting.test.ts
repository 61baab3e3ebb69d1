import { expect, it } from "vitest";
import { buildCadence, formatCadence } from "../../../../pipeline/cli/doctor/fitting.ts";
import { configSchema } from "../../../../schemas/config.ts";

const nowMs = Date.UTC(2026, 4, 20, 3);
const hourMs = 3_600_000;

/** The reads of a source by jobs of these cron texts. */
function readsBy(...crons: readonly string[]) {
  const jobs = Object.fromEntries(crons.map((cron, n) => [`job${n}`, { cron, ingest: {} }]));
  const config = configSchema.parse({ sources: { prod: {} }, schedule: { jobs } });
  return buildCadence("prod", config.sources["prod"]!, config, nowMs);
}

it.each<[text: string, crons: readonly string[], gapsHours: readonly number[]]>([
  ["1 d", ["0 2 * * *"], [24]],
  ["12 h", ["0 2 * * *", "0 14 * * *"], [12]],
  ["12 h", ["0 14 * * *", "0 2 * * *"], [12]],
  ["18 h", ["0 2 * * *", "0 8 * * *", "0 2 * * *"], [6, 18]],
  ["1 h", ["0 * * * *", "0 2 * * *"], [1]],
])(
  "runs of several jobs follow each other: every %s at the longest by %j",
  (text, crons, gapsHours) => {
    const { runs, ...reads } = readsBy(...crons);
    if (runs === undefined || !("atMs" in runs)) throw new Error("no moments of runs");
    const gaps = runs.atMs.slice(1).map((ms, at) => (ms - runs.atMs[at]!) / hourMs);
    expect([...new Set(gaps)].toSorted((a, b) => a - b)).toEqual(gapsHours);
    expect(formatCadence({ ...reads, runs })).toContain(`, a run every ${text} or more often`);
  },
);

it("runs are not checked if no job has a time", () => {
  expect(readsBy().runs).toBeUndefined();
  expect(readsBy("none").runs).toBeUndefined();
  const text = formatCadence({ ...readsBy("0 0 30 2 *"), runs: { atMs: [] } });
  expect(text).toMatch(/, schedule without two runs$/);
});
