import { expect, it } from "vitest";
import { newFetch } from "../../../../pipeline/core/ingest/fetch.ts";
import type { PlannedFetch } from "../../../../pipeline/core/ingest/plan-fetches.ts";

const confirming: PlannedFetch["confirming"] = { readAtMs: 1, sha256: ["a"] } as never;
const planned = { startMs: 0, endMs: 4000, splitsMs: [], confirming };

it.each([
  [0, 4000, true],
  [0, 2000, false],
  [2000, 4000, false],
  [1000, 2000, false],
])("a fetch of %i to %i ms confirms a planned window of 4 s: %s", (startMs, endMs, confirms) => {
  const job = newFetch({ startMs, endMs }, { planned, isWhole: false });
  expect(job.confirming).toBe(confirms ? confirming : undefined);
  expect([job.window, job.round]).toEqual([{ startMs, endMs }, 1]);
});

it.each([
  [1000, false, false],
  [1001, false, true],
  [4000, true, false],
])("a fetch of %i ms, of a window that is read as one (%s), may be split: %s", (...given) => {
  const [endMs, isWhole, maySplit] = given;
  expect(newFetch({ startMs: 0, endMs }, { planned, isWhole }).maySplit).toBe(maySplit);
});
