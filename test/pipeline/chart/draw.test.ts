import { DOMParser } from "@xmldom/xmldom";
import { expect, it } from "vitest";
import { drawSvg } from "../../../pipeline/chart/draw.ts";
import { chartSpec, pageTheme } from "../../../pipeline/chart/spec.ts";

const hostile = '<script>alert("x")</script>';
const label = `Who & "how" &lt; ${hostile}`;

async function drawn(
  form: { kind: string },
  kind: "text" | "time" | "number",
  points: { x: string; y: number }[],
) {
  const spec = chartSpec({ x: "who", y: "n", ...form }, kind, points, pageTheme);
  const svg = await drawSvg(spec, label);
  return { svg, root: new DOMParser().parseFromString(svg, "text/xml").documentElement! };
}

// Lengths of the bars, by where they stand.
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
  const { svg, root } = await drawn({ kind: "bar" }, "text", points);
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
  const { svg } = await drawn({ kind: "line" }, "time", days);
  const [, path = ""] = /mark-line[^>]*><path d="([^"]+)"/.exec(svg) ?? [];
  const steps = path
    .slice(1)
    .split("L")
    .map((pair) => pair.split(",").map(Number));
  expect(steps.map(([x]) => Math.round(x! / 36) / 10)).toEqual([0, 1, 2]);
  expect(steps.map(([, y]) => y)).toEqual([220, 110, 0]);
});

it("asks for nothing from elsewhere and holds nothing that a policy forbids", async () => {
  const { svg } = await drawn({ kind: "bar" }, "number", [
    { x: "1", y: 2 },
    { x: "2", y: 3 },
  ]);
  expect(svg.replaceAll(/xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(
    /https?:|href|style=|<style|<script|on\w+=/,
  );
});
