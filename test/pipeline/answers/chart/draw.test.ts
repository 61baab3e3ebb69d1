import { DOMParser } from "@xmldom/xmldom";
import { expect, it } from "vitest";
import type { ChartForm } from "../../../../pipeline/base/report/chart-form.ts";
import { buildChartSpec, drawSvg, pageTheme } from "../../../../pipeline/answers/chart/spec.ts";

const hostile = '<script>alert("x")</script>';
const label = `Who & "how" &lt; ${hostile}`;

async function draw(
  form: Pick<ChartForm, "kind"> & Partial<ChartForm>,
  kind: "text" | "time" | "number",
  points: { x: string; y: number; series?: string }[],
) {
  const all = points.map((point) => ({ series: null, ...point }));
  const spec = buildChartSpec({ x: "who", y: "n", ...form }, kind, all, pageTheme);
  const svg = await drawSvg(spec, label);
  return { svg, root: new DOMParser().parseFromString(svg, "text/xml").documentElement! };
}

// Lengths of the bars, by their position.
function barLengths(svg: string): number[] {
  const marks = svg.slice(svg.indexOf("mark-rect role-mark"));
  return [...marks.matchAll(/d="M0,[\d.]+h([\d.]+)v/g)].map(([, length]) => Number(length));
}

it("draws bars as long as their amounts, and their names as text", async () => {
  const points = [
    { x: hostile, y: 80 },
    { x: "bob@example.com", y: 20 },
    { x: "ann", y: 40 },
  ];
  const { svg, root } = await draw({ kind: "bars" }, "text", points);
  const lengths = barLengths(svg);
  expect(lengths).toHaveLength(3);
  expect(lengths.map((length) => length / lengths[0]!)).toEqual([1, 0.5, 0.25]);
  expect(svg).not.toContain("<script");
  expect(root.getAttribute("aria-label")).toBe(label);
  const texts = [...root.getElementsByTagName("text")].map((each) => each.textContent);
  expect(texts).toEqual(expect.arrayContaining(["bob@example.com", "ann"]));
});

it("draws a line through the moments in their order", async () => {
  const days = ["2026-01-03", "2026-01-04", "2026-01-05"].map((x, i) => ({ x, y: i }));
  const { svg } = await draw({ kind: "line" }, "time", days);
  const [, path = ""] = /mark-line[^>]*><path d="([^"]+)"/.exec(svg) ?? [];
  const steps = path
    .slice(1)
    .split("L")
    .map((pair) => pair.split(",").map(Number));
  expect(steps.map(([x]) => Math.round(x! / 36) / 10)).toEqual([0, 1, 2]);
  expect(steps.map(([, y]) => y)).toEqual([220, 110, 0]);
});

const stacked = [
  { x: "2026-03-02", y: 4, series: "denied" },
  { x: "2026-03-02", y: 1, series: "failed" },
  { x: "2026-03-09", y: 2, series: "denied" },
  { x: "2026-03-16", y: 8, series: "failed" },
];

it("stacks the parts of a bar, the largest kind at the bottom, each in a colour of its own", async () => {
  const { svg, root } = await draw({ kind: "bars", stack: "kind" }, "time", stacked);
  const paths = [
    ...svg.matchAll(/<path d="M([\d.]+),([\d.]+)h[\d.]+v([\d.]+)[^"]*" fill="(#\w+)"/g),
  ];
  const bars = paths.map(([, x, y, height, color]) => [
    Number(x),
    Number(y),
    Number(height),
    color,
  ]);
  const first = bars.filter(([x]) => x === bars[0]![0]);
  expect(first).toHaveLength(2);
  // Failed are nine in all, denied six: failed lies below.
  const [failed, denied] = first.toSorted(([, a], [, b]) => Number(b) - Number(a));
  expect(Number(failed![1]) + Number(failed![2])).toBeCloseTo(220);
  expect(Number(denied![1]) + Number(denied![2])).toBeCloseTo(Number(failed![1]));
  expect(Number(denied![2]) / Number(failed![2])).toBeCloseTo(4);
  expect(new Set(bars.map(([, , , color]) => color)).size).toBe(2);
  const texts = [...root.getElementsByTagName("text")].map((each) => each.textContent);
  expect(texts).toEqual(expect.arrayContaining(["denied", "failed"]));
});

it("marks what is usual for a weekday", async () => {
  const usual = await draw({ kind: "bars", stack: "kind", usual: "weekday" }, "time", stacked);
  expect(usual.svg).toContain("mark-rect role-mark layer_1_marks");
  expect((await draw({ kind: "bars", stack: "kind" }, "time", stacked)).svg).not.toContain(
    "layer_1",
  );
});

it("draws dots on a logarithmic scale, without what is nothing", async () => {
  const points = [1, 1000, 1e6, 0].map((y, i) => ({ x: `2026-03-0${i + 1}`, y }));
  const { svg } = await draw({ kind: "dots", scale: "log", unit: "bytes" }, "time", points);
  const dots = [...svg.matchAll(/transform="translate\([\d.]+,([\d.]+)\)" d="M[\d.]+,0A/g)];
  const heights = dots.map(([, y]) => 220 - Number(y));
  expect(heights.map((height) => Math.round((height / heights[2]!) * 100))).toEqual([0, 50, 100]);
  expect(svg).toContain(">1MB<");
});

it("draws a heat map with a cell for each pair", async () => {
  const points = ["Mon", "Tue"].flatMap((series, i) =>
    ["0", "9", "10"].map((x, j) => ({ x, series, y: i * 3 + j })),
  );
  const { svg, root } = await draw({ kind: "heat", stack: "weekday" }, "number", points);
  const [, cells = ""] = /mark-rect role-mark marks"[^>]*>(.*?)<\/g>/.exec(svg) ?? [];
  expect(cells.match(/<path/g)).toHaveLength(6);
  const texts = [...root.getElementsByTagName("text")].map((each) => each.textContent);
  // By number, not by letters.
  expect(texts.indexOf("9")).toBeLessThan(texts.indexOf("10"));
});

it("asks for nothing from elsewhere and holds nothing that a policy forbids", async () => {
  const { svg } = await draw({ kind: "bars" }, "number", [
    { x: "1", y: 2 },
    { x: "2", y: 3 },
  ]);
  expect(svg.replaceAll(/xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(
    /https?:|href|style=|<style|<script|on\w+=/,
  );
});
