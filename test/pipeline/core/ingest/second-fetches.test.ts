import { type FactsOf, type Notice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import type { NamedSource } from "../../../../pipeline/base/home/settings.ts";
import {
  type AcrossSources,
  type DueRange,
  planSecondFetches,
} from "../../../../pipeline/core/ingest/plan.ts";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";

// Reads whose window only a second read makes certain: a run reads those of its source, and reports the others.

const day = (n: number): string => `2026-03-0${n} 00:00:00.000`;

const read = (source: string, n: number, nightly = false): Manifest =>
  ({ source, window_start: day(n), window_end: day(n + 1), nightly }) as Manifest;

const window = (n: number): { startMs: number; endMs: number } => ({
  startMs: Date.UTC(2026, 2, n),
  endMs: Date.UTC(2026, 2, n + 1),
});

/** The days that are read again, and the sources that warnings and failures name. */
function planWindows(
  name: string,
  found: readonly Manifest[],
  due: readonly number[],
  across: AcrossSources,
) {
  const windows = due.map(window);
  const plan = planSecondFetches(
    found,
    { name } as NamedSource,
    { windows } as unknown as DueRange,
    across,
  );
  const findNamed = (notices: readonly Notice[]): unknown[] =>
    notices.map(({ code, facts }) => {
      expect(code).toBe("window_ambiguous");
      return (facts as FactsOf<"window_ambiguous">).source;
    });
  expect(plan.planned.map(({ splitsMs }) => splitsMs)).toEqual(plan.planned.map(() => []));
  return {
    days: plan.planned.map(({ startMs, endMs }) => [
      new Date(startMs).getUTCDate(),
      new Date(endMs).getUTCDate(),
    ]),
    warnings: findNamed(plan.warnings),
    failures: findNamed(plan.failures),
  };
}

const noneElsewhere = (): AcrossSources => ({ ambiguous: [], coming: new Set() });

it("second reads of the source are planned unless they are scheduled anyway", () => {
  const found = [1, 2, 3, 4, 5].map((n) => read("a", n, true));
  const again = { warnings: ["a", "a"], failures: [] };
  const [first, last] = [
    [1, 2],
    [5, 6],
  ];
  expect(planWindows("a", found, [2, 3, 4], noneElsewhere())).toEqual({
    days: [first, last],
    ...again,
  });
  expect(planWindows("a", found.slice(0, 1), [], noneElsewhere())).toMatchObject({ days: [first] });
  expect(planWindows("a", found, [1, 2, 3, 4, 5], noneElsewhere())).toMatchObject({
    days: [],
    warnings: [],
  });
});

it("missing second reads of other sources are errors, except for scheduled ones", () => {
  const found = [read("b", 1), read("c", 2, true), read("a", 3)];
  expect(planWindows("a", found, [], noneElsewhere())).toEqual({
    days: [[3, 4]],
    warnings: ["a"],
    failures: ["b"],
  });
});

it("second reads of sources that follow are left to them, without an error", () => {
  const across: AcrossSources = { ambiguous: [], coming: new Set(["b"]) };
  const found = [read("b", 1), read("a", 2), read("c", 3)];
  expect(planWindows("a", found, [], across)).toEqual({
    days: [[2, 3]],
    warnings: ["a"],
    failures: ["c"],
  });
  across.coming.delete("b");
  expect(planWindows("b", [], [], across)).toEqual({
    days: [[1, 2]],
    warnings: ["b"],
    failures: [],
  });
});
