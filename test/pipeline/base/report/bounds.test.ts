import { expect, test } from "vitest";
import { findReports, type Report } from "../../../../pipeline/base/report/find.ts";
import { buildQuestion } from "../../../../pipeline/base/report/params.ts";
import { nowMs } from "../../answers/report/support.ts";

const wholeNumbers = findReports(undefined).reports.flatMap((report) =>
  report.params.flatMap(({ name, type }) => (type === "integer" ? [{ report, name }] : [])),
);

function ask(report: Report, name: string, text: string): unknown {
  const given = report.params.flatMap((param): [string, string][] =>
    param.defaultText === undefined ? [[param.name, "any"]] : [],
  );
  return buildQuestion(report, new Map([...given, [name, text]]), nowMs).values[name]?.value;
}

test("no whole number in a report of the package overflows its statement", () => {
  expect(wholeNumbers.length).toBeGreaterThan(30);
  for (const { report, name } of wholeNumbers)
    for (const text of ["-40", "-1", "2147483648", "99999999999999"])
      expect(() => ask(report, name, text), `${report.name} ${name}`).toThrow(
        new RegExp(`^parameter ${name}: ${text} is out of range; expected 0 to \\d+$`),
      );
});

test("a user report accepts any number of 64 bits", () => {
  const { report, name } = wholeNumbers[0]!;
  expect(ask({ ...report, isBuiltIn: false }, name, "-99999999999999")).toBe("-99999999999999");
  expect(ask(report, name, "0")).toBe("0");
});

test.each(["days", "hours", "minutes"])("%s end after fifty years", (unit) => {
  const { report } = wholeNumbers.find(({ name }) => name === unit)!;
  const most = { days: 18_250, hours: 438_000, minutes: 26_280_000 }[unit]!;
  expect(ask(report, unit, String(most))).toBe(String(most));
  expect(() => ask(report, unit, String(most + 1))).toThrow(/is out of range/);
});
