import { expect, it } from "vitest";
import { isWithinRange } from "../../../../pipeline/core/ingest/confirm-end.ts";

const range = { startMs: 10_500, endMs: 20_500 };

it.each<[times: (number | undefined)[], inside: boolean]>([
  [[], true],
  [[10_000, undefined, 21_000], true],
  [[9_999], false],
  [[21_001], false],
  [[15_000, 21_001], false],
  [[9_999, 15_000], false],
])(
  "the times %j are in whole seconds around a range, including both edges: %s",
  (times, inside) => {
    expect(isWithinRange(times, range)).toBe(inside);
  },
);
