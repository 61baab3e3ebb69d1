import { type FactsOf, type Notice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import type { NamedSource } from "../../../../pipeline/base/home/settings.ts";
import { type Across, type Due, secondFetches } from "../../../../pipeline/core/ingest/plan.ts";
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
function planned(name: string, found: readonly Manifest[], due: readonly number[], across: Across) {
  const windows = due.map(window);
  const plan = secondFetches(found, { name } as NamedSource, { windows } as unknown as Due, across);
  const named = (notices: readonly Notice[]): unknown[] =>
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
    warnings: named(plan.warnings),
    failures: named(plan.failures),
  };
}

const nobody = (): Across => ({ ambiguous: [], coming: new Set() });

it("reads those of the source again that are not due anyway", () => {
  const found = [1, 2, 3, 4, 5].map((n) => read("a", n, true));
  const again = { warnings: ["a", "a"], failures: [] };
  const [first, last] = [
    [1, 2],
    [5, 6],
  ];
  expect(planned("a", found, [2, 3, 4], nobody())).toEqual({ days: [first, last], ...again });
  expect(planned("a", found.slice(0, 1), [], nobody())).toMatchObject({ days: [first] });
  expect(planned("a", found, [1, 2, 3, 4, 5], nobody())).toMatchObject({ days: [], warnings: [] });
});

it("fails over those of other sources, but for what a scheduled run reads again", () => {
  const found = [read("b", 1), read("c", 2, true), read("a", 3)];
  expect(planned("a", found, [], nobody())).toEqual({
    days: [[3, 4]],
    warnings: ["a"],
    failures: ["b"],
  });
});

it("leaves those of sources to come to their turn, and fails over none of them", () => {
  const across: Across = { ambiguous: [], coming: new Set(["b"]) };
  const found = [read("b", 1), read("a", 2), read("c", 3)];
  expect(planned("a", found, [], across)).toEqual({
    days: [[2, 3]],
    warnings: ["a"],
    failures: ["c"],
  });
  across.coming.delete("b");
  expect(planned("b", [], [], across)).toEqual({ days: [[1, 2]], warnings: ["b"], failures: [] });
});
