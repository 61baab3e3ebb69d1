import { expect, it } from "vitest";
import { addStackFilter, newMarkLinks } from "../../../../pipeline/adapters/serve/mark-links.ts";
import type { ChartForm } from "../../../../pipeline/base/report/chart-form.ts";

const range = { since: "2026-11-01", until: "2026-11-28" };

function followMark(chart: Partial<ChartForm>, x: string, family = "denials"): string | undefined {
  return newMarkLinks({ chart: { kind: "bars", x: "day", y: "n", ...chart }, family }, range)!(x);
}

it("links a day to its denials, complete", () => {
  expect(followMark({ link: "events" }, "2026-11-30")).toBe(
    "/events?since=2026-11-30&until=2026-12-01&outcome=denied&outcome=failed",
  );
});

it("links a name to its events in the range of the report", () => {
  expect(followMark({ x: "event_name", link: "events" }, "a&b=c", "pipeline")).toBe(
    "/events?since=2026-11-01&until=2026-11-28&event=a%26b%3Dc",
  );
  expect(followMark({ x: "hour_of_day", link: "events" }, "7")).toBeUndefined();
});

it("links to the report that the chart names, with the value as its parameter", () => {
  expect(followMark({ x: "actor", link: "report:user_timeline" }, "ann@example.com")).toBe(
    "/reports/user_timeline?since=2026-11-01&until=2026-11-28&user=ann%40example.com",
  );
});

it("does not link a value without a target", () => {
  expect(followMark({ x: "reason" }, "too long")).toBeUndefined();
  expect(newMarkLinks({ chart: undefined, family: "denials" }, range)).toBeUndefined();
});

it.each([
  ["denial_kind", "folder", "/events?since=2026-11-01&outcome=denied&outcome=failed&kind=folder"],
  ["outcome", "failed", "/events?since=2026-11-01&outcome=failed"],
  ["area", "a&b", "/events?since=2026-11-01&outcome=denied&outcome=failed&area=a%26b"],
  ["status", "killed", undefined],
])("links an amount of a stack by %s to its events", (stack, value, expected) => {
  const day = "/events?since=2026-11-01&outcome=denied&outcome=failed";
  const chart: ChartForm = { kind: "bars", x: "day", y: "n", stack, link: "events" };
  expect(addStackFilter({ chart }, day, value)).toBe(expected);
  expect(
    addStackFilter({ chart: { ...chart, link: "report:denials_list" } }, day, value),
  ).toBeUndefined();
});
