import { expect, test } from "vitest";
import { shortOf } from "./figure.ts";
import { runBatch } from "./sources/batch.ts";
import { sourcesFigure } from "./sources.ts";

test("simulated sources are stored as they showed themselves", { timeout: 600_000 }, async () => {
  const count = shortOf(sourcesFigure);
  const { done, failures } = await sourcesFigure.run(count, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});

test(
  "seeds whose last moment that is final the laboratory once took for too late",
  { timeout: 120_000 },
  async () => {
    expect(await runBatch([1962, 4603, 4653, 5714])).toEqual([]);
  },
);

test(
  "a seed that moved an equal record twice by unreadable ones that arrived",
  { timeout: 120_000 },
  async () => {
    expect(await runBatch([6561])).toEqual([]);
  },
);
