import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseStep, type Lane, type Lanes } from "../../../../pipeline/answers/chart/lane.ts";
import { drawLanes, sizeDot } from "../../../../pipeline/answers/chart/lanes.ts";
import { getMarkupText, html } from "../../../../pipeline/base/html/markup.ts";
import { findAll, hostileName, parseDrawing, readNumber } from "./drawing.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 9, 28);
const endMs = Date.UTC(2026, 10, 27);

function drawOne(...lanes: Lane[]): ReturnType<typeof parseDrawing> {
  const all: Lanes = { startMs, endMs, note: "UTC", lanes };
  return parseDrawing(html`<div>${drawLanes(all)}</div>`);
}

const moment = fc.integer({ min: startMs, max: endMs });
const mark = {
  at: moment,
  paint: fc.constantFrom("deny" as const, "c1" as const),
  lines: fc.tuple(hostileName),
};

it("places each dot at its moment, with an area that follows its amount, and links it", () => {
  const dot = fc.record({
    ...mark,
    amount: fc.integer({ min: 1, max: 40 }),
    href: fc.webPath(),
    isFirst: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(dot, { minLength: 1, maxLength: 40 }), (dots) => {
      const root = drawOne({ name: "Denials", note: "n", kind: "dots", unit: "count", dots });
      const links = findAll(root, "a");
      expect(links.map((link) => link.getAttribute("href"))).toEqual(dots.map(({ href }) => href));
      expect(links.filter((link) => link.getAttribute("tabindex") === "0")).toHaveLength(1);
      for (const [i, link] of links.entries()) {
        const [circle, ring] = findAll(link, "circle");
        const share = (dots[i]!.at - startMs) / (endMs - startMs);
        expect(Math.abs(readNumber(circle!, "cx") - share * 100)).toBeLessThan(0.001);
        expect(ring !== undefined).toBe(dots[i]!.isFirst);
        for (const [j, other] of links.entries()) {
          const [a, b] = [readNumber(circle!, "r"), readNumber(findAll(other, "circle")[0]!, "r")];
          if (dots[i]!.amount < dots[j]!.amount) expect(a).toBeLessThanOrEqual(b);
        }
      }
    }),
  );
});

it("sizes dots by count and by bytes, up to a limit", () => {
  expect([1, 2, 3].map((count) => sizeDot(count, "count").toFixed(1))).toEqual([
    "5.2",
    "6.5",
    "7.5",
  ]);
  expect([0, 112e6, 2e9, 9e12].map((bytes) => sizeDot(bytes, "bytes").toFixed(1))).toEqual([
    "3.0",
    "8.0",
    "24.0",
    "24.0",
  ]);
});

it("draws added above the line and removed below it", () => {
  const change = fc.record({
    at: moment,
    up: fc.nat(200),
    down: fc.nat(200),
    lines: fc.tuple(hostileName),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 30 }), (changes) => {
      const root = drawOne({
        name: "Rights",
        note: "n",
        kind: "changes",
        stepMs: 6 * hourMs,
        changes,
      });
      const [line] = findAll(root, "line", "ax");
      const middle = readNumber(line!, "y1");
      const [ups, downs] = [findAll(root, "rect", "c1"), findAll(root, "rect", "c6")];
      expect(ups).toHaveLength(changes.filter(({ up }) => up > 0).length);
      expect(downs).toHaveLength(changes.filter(({ down }) => down > 0).length);
      for (const up of ups)
        expect(readNumber(up, "y") + readNumber(up, "height")).toBeCloseTo(middle, 0);
      for (const down of downs) expect(readNumber(down, "y")).toBe(middle);
    }),
  );
});

it("draws close marks on separate lines, and labels that a phone shortens", () => {
  const at = startMs + 20 * 24 * hourMs;
  const marks = [0, 1, 60].map((hours, i) => ({
    at: at + hours * hourMs,
    paint: "hgf" as const,
    lines: [`F-${i}`],
    label: `F-${i} more words`,
  }));
  const root = drawOne({ name: "Findings", note: "3", kind: "marks", marks });
  const squares = findAll(root, "rect", "hgf").map((square) => readNumber(square, "y"));
  expect(squares).toEqual([5, 20, 5]);
  const texts = findAll(root, "text", "an");
  expect(texts.map((text) => text.textContent)).toEqual(marks.map(({ label }) => label));
  expect(findAll(texts[0]!, "tspan", "only-w")[0]!.textContent).toBe(" more words");
});

it("labels marks of one moment on a line each, without overlaps", () => {
  const at = startMs + 5 * 24 * hourMs;
  for (const count of [1, 5, 6, 7, 20]) {
    const marks = Array.from({ length: count }, (_, i) => ({
      at,
      paint: "hgf" as const,
      lines: [`F-${i}`],
      label: `F-${i} words`,
    }));
    const root = drawOne({ name: "Findings", note: "", kind: "marks", marks });
    expect(findAll(root, "rect", "hgf")).toHaveLength(count);
    const places = findAll(root, "text", "an").map((text) => readNumber(text, "y"));
    expect(places).toHaveLength(Math.min(count, 6));
    expect(new Set(places).size).toBe(places.length);
  }
});

it("adds up to the total", () => {
  const steps = [3, 1, 2].map((day) => ({ at: startMs + day * 24 * hourMs, amount: 1e9 }));
  const root = drawOne({ name: "Downloaded", note: "sum", kind: "sum", unit: "bytes", steps });
  expect(findAll(root, "path")[0]!.getAttribute("d")).toBe(
    "M0 60H33.3V42.0H66.7V24.0H100.0V6.0H1000",
  );
  expect(findAll(root, "text", "an")[0]!.textContent).toBe("3.00 GB");
});

it("draws an empty lane as a thin line", () => {
  const empty: Lane[] = [
    { name: "a", note: "none in 30 days", kind: "dots", unit: "count", dots: [] },
    { name: "b", note: "none in 30 days", kind: "marks", marks: [] },
    { name: "c", note: "none in 30 days", kind: "changes", stepMs: 1, changes: [] },
    { name: "d", note: "none in 30 days", kind: "sum", unit: "bytes", steps: [] },
  ];
  const root = drawOne(...empty);
  const lanes = findAll(root, "div", "e");
  expect(lanes.map((lane) => lane.textContent!.replaceAll(/\s/g, ""))).toEqual(
    ["a", "b", "c", "d"].map((name) => `${name}nonein30days`),
  );
  expect(findAll(root, "a")).toEqual([]);
});

it("shades weekends and labels Mondays over a month, hours over an evening", () => {
  const lane: Lane = { name: "a", note: "n", kind: "dots", unit: "count", dots: [] };
  const root = drawOne(lane);
  expect(findAll(root, "rect", "wk")).toHaveLength(8);
  expect(findAll(root, "text").map((text) => text.textContent)).toEqual([
    "2 Nov",
    "9 Nov",
    "16 Nov",
    "23 Nov",
  ]);
  const evening = {
    startMs: startMs + 17.75 * hourMs,
    endMs: startMs + 19 * hourMs,
    note: "",
    lanes: [lane],
  };
  const hours = parseDrawing(html`<div>${drawLanes(evening)}</div>`);
  expect(findAll(hours, "rect", "wk")).toEqual([]);
  expect(findAll(hours, "text").map((text) => text.textContent)).toEqual([
    "17:50",
    "18:00",
    "18:10",
    "18:20",
    "18:30",
    "18:40",
    "18:50",
    "19:00",
  ]);
});

it("merges the events of six hours into a dot from two days on, of a day from 60 days on", () => {
  const steps = [1, 2, 3, 59, 60, 400].map((days) => chooseStep(0, days * 24 * hourMs));
  expect(steps.map((step) => step && step / hourMs)).toEqual([undefined, undefined, 6, 6, 24, 24]);
});

it("draws a bar for each step, as high as its amount, up to the highest", () => {
  const bars = [10, 40].map((amount, i) => ({
    at: i * 86_400_000,
    amount,
    paint: "c3" as const,
    lines: [`${amount}`],
  }));
  const lane = { kind: "bars" as const, name: "Queries", note: "50", stepMs: 86_400_000, bars };
  const text = getMarkupText(
    drawLanes({ startMs: 0, endMs: 2 * 86_400_000, note: "UTC", lanes: [lane] }),
  );
  const boxes = text.match(/<rect[^>]*class="c3"[^>]*>/g)!;
  expect(boxes.map((box) => Number(/height="([\d.]+)"/.exec(box)![1]))).toEqual([10, 40]);
});

it("draws more than forty overlapping dots in separate rows", () => {
  const count = (dots: number): number => {
    const lane = {
      kind: "dots" as const,
      name: "Downloads",
      note: `${dots}`,
      unit: "bytes" as const,
      dots: Array.from({ length: dots }, (_, i) => ({
        at: i * 1000,
        amount: 2e9,
        paint: "c1" as const,
        lines: ["x"],
      })),
    };
    const text = getMarkupText(
      drawLanes({ startMs: 0, endMs: 3_600_000, note: "UTC", lanes: [lane] }),
    );
    return new Set([...text.matchAll(/cy="([^"]*)"/g)].map(([, cy]) => cy)).size;
  };
  expect([count(40), count(41)]).toEqual([1, 3]);
});
