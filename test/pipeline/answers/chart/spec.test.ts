import { expect, it } from "vitest";
import { buildChartSpec, pageTheme } from "../../../../pipeline/answers/chart/spec.ts";

type Axis = { readonly axis: { readonly format?: string } };

it.each<[format: string, amounts: readonly number[]]>([
  [",.0f", [0, 7]],
  [",.0f", [1, 999_999]],
  ["~s", [1, 1_000_000]],
  ["~s", [2_000_000, 3]],
  ["~s", [2_000_000, 3_000_000]],
])("shows amounts as %s where they are %j: one of a million shortens all", (format, amounts) => {
  const points = amounts.map((y, at) => ({ x: `2026-01-0${at + 1}`, series: null, y }));
  const buildFormat = (kind: "time" | "text", amount: "x" | "y"): unknown => {
    const spec = buildChartSpec({ x: "day", y: "n", kind: "bars" }, kind, points, pageTheme);
    return (spec["encoding"] as Record<string, Axis>)[amount]!.axis.format;
  };
  expect([buildFormat("time", "y"), buildFormat("text", "x")]).toEqual([format, format]);
});
