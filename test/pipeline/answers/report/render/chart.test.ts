import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChartForm } from "../../../../../pipeline/base/report/chart-form.ts";
import { drawChart as linesOf } from "../../../../../pipeline/answers/report/render/chart.ts";
import { displayWidth } from "../../../../../pipeline/base/terminal/width.ts";
import { newHome } from "../../../../support/home.ts";

const byDay = { kind: "line", x: "day", y: "n" } as const;
const byName = { kind: "bars", x: "who", y: "n" } as const;
const getDay = (i: number): string => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);

const chartLines = (
  form: ChartForm,
  kind: "text" | "time",
  points: readonly { readonly x: string; readonly y: number }[],
  width: number,
): string[] =>
  linesOf(
    form,
    kind,
    points.map((point) => ({ series: null, ...point })),
    width,
  );

it("draws names as bars, the greatest first", () => {
  const points = [
    { x: "b", y: 1 },
    { x: "anna", y: 8 },
    { x: "none", y: 0 },
  ];
  expect(chartLines(byName, "text", points, 15)).toEqual([
    "anna ████████ 8",
    "b    █ 1",
    "none  0",
  ]);
});

it("draws moments in their order, with space for days without data", () => {
  const points = [0, 1, 3].map((day, i) => ({ x: getDay(day), y: [10, 5, 10][i]! }));
  const lines = chartLines(byDay, "time", points, 11);
  expect(lines[0]).toBe("10 │█  █");
  expect(lines[5]).toBe("   │██ █");
  expect(lines[9]).toBe(" 0 │██ █");
  expect(lines).toHaveLength(11);
});

it("draws eighths of a character, and a mark for the smallest amount", () => {
  const eighths = Array.from({ length: 9 }, (_, i) => ({ x: getDay(i), y: i }));
  const columns = chartLines(byDay, "time", [...eighths, { x: getDay(9), y: 80 }], 15);
  expect(columns.slice(8, 10)).toEqual(["   │         █", " 0 │ ▁▂▃▄▅▆▇██"]);
  const bars = [8, 7, 6, 5, 4, 3, 2, 1].map((y) => ({ x: `n${9 - y}`, y }));
  expect(chartLines(byName, "text", bars, 6).map((line) => line.slice(3, -2))).toEqual([
    ..."█▉▊▋▌▍▎▏",
  ]);
  const few = chartLines(
    byName,
    "text",
    [
      { x: "a", y: 1 },
      { x: "b", y: 1e6 },
    ],
    20,
  );
  expect(few[1]).toMatch(/^a ▏ 1$/);
});

it("sums up columns without a bar, and reports it", () => {
  const points = Array.from({ length: 70 }, (_, i) => ({ x: getDay(i), y: 1 }));
  const lines = chartLines(byDay, "time", points, 40);
  expect(lines.slice(-2)).toEqual(["2026-01-01 to 2026-03-11", "each column sums up 2 of day"]);
  expect(lines[0]).toBe(`2 │${"█".repeat(35)}`);
});

it("prints a line for no data", () => {
  expect(chartLines(byDay, "time", [], 80)).toEqual(["no rows, no chart"]);
});

describe("a chart in any width, of any points", () => {
  const amount = fc.integer({ min: 0, max: 1e9 });
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom("\u001b[31m", "日本語日本語日本語", "\u202Eabc"),
  );
  const width = fc.integer({ min: 30, max: 200 });

  it("has no wider line, and no terminal sequence of a name", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: name, y: amount }), { maxLength: 30 }),
        width,
        (points, w) => {
          for (const line of chartLines(byName, "text", points, w)) {
            expect(displayWidth(line.trimEnd())).toBeLessThanOrEqual(w);
            expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          }
        },
      ),
    );
    const days = fc.uniqueArray(fc.nat(800), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(days, amount, width, (some, y, w) => {
        const lines = chartLines(
          byDay,
          "time",
          some.map((day) => ({ x: getDay(day), y })),
          w,
        );
        for (const line of lines) expect(displayWidth(line.trimEnd())).toBeLessThanOrEqual(w);
      }),
    );
  });
});

it("is what --chart prints, in the width of the terminal; a report without one prints a note", async () => {
  using home = newHome();
  const denial = { event_name: "unauthorized", event_result: "denied" };
  await home.load(
    [0, 0, 1].map((day, i) => ({ ...denial, id: `${i}`, time: 1_767_225_600 + day * 86_400 })),
  );
  const range = ["--since", "2026-01-01", "--until", "2026-02-01", "--chart"];
  const { out, code } = await home.run(["report", "run", "denials_by_day", ...range]);
  expect(code).toBe(0);
  expect(out).toMatch(/^2 │████\n[\s\S]*2026-01-01 to 2026-01-02\n$/);
  const noon = ["--since", "2026-01-01", "--until", "2026-01-02T12:00:00Z", "--chart"];
  const part = await home.run(["report", "run", "denials_by_day", ...noon]);
  expect(part.out).toMatch(/2026-01-01\n1 incomplete day is not drawn\n$/);
  const none = await home.run(["report", "run", "denials_list", ...range]);
  expect(none.code).toBe(2);
  expect(none.err).toContain("no chart is declared");
  const both = await home.run(["report", "run", "denials_by_day", ...range, "--format", "csv"]);
  expect(both.err).toContain("found --chart and --format csv");
});
