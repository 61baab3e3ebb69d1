import { expect, test } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import type { Report } from "../../../../pipeline/base/report/find.ts";
import { parseHeader } from "../../../../pipeline/base/report/header.ts";
import {
  buildDefaultQuestion,
  describeRange,
  readGivenParams,
  listMissingParams,
  buildQuestion,
  formatRange,
  refuseUnknown,
} from "../../../../pipeline/base/report/params.ts";
import { nowMs } from "../../answers/report/support.ts";

function buildReport(...params: string[]): Report {
  const head = ["-- title: A", "-- grain: b", ...params.map((param) => `-- param: ${param}`)];
  const sql = `${head.join("\n")}\nselect 1\n`;
  return {
    ...parseHeader(sql, "a.sql"),
    name: "a",
    family: "own",
    file: "a.sql",
    sql,
    isBuiltIn: false,
  };
}

const ranged = buildReport("since timestamp = 7d", "until timestamp = now");

function range(report: Report, flags: { since?: string; until?: string }, ...pairs: string[]) {
  return describeRange(buildQuestion(report, readGivenParams(flags, pairs), nowMs).values);
}

test.each([
  [{}, "since 2026-11-14T12:00:00Z until 2026-11-21T12:00:00Z"],
  [{ since: "1d" }, "since 2026-11-20T12:00:00Z until 2026-11-21T12:00:00Z"],
  [
    { since: "2026-01-01", until: "2026-02-01" },
    "since 2026-01-01T00:00:00Z until 2026-02-01T00:00:00Z",
  ],
  [
    { until: "2026-11-20T00:00:00.5+02:00" },
    "since 2026-11-14T12:00:00Z until 2026-11-19T22:00:00.5Z",
  ],
])("the range %j is read", (flags, expected) => {
  expect(range(ranged, flags)).toBe(expected);
});

test("a range may have dates, is half open, or has one side", () => {
  const days = buildReport("since date = 2d", "until date = now");
  expect(range(days, {})).toBe("since 2026-11-19 until 2026-11-21");
  expect(range(buildReport("since timestamp = null"), {})).toBe("");
  expect(formatRange({})).toEqual([]);
  expect(formatRange({ until: { type: "date", value: 0 } })).toEqual(["until 1970-01-01"]);
  expect(range(buildReport("since timestamp = 1d"), {})).toBe("since 2026-11-20T12:00:00Z");
  expect(() => range(days, { since: "12h" })).toThrow(/empty range/);
});

test.each([
  [
    { since: "1d", until: "2d" },
    /since 2026-11-20T12:00:00Z until 2026-11-19T12:00:00Z ends before it starts; since must be before until/,
  ],
  [{ since: "now" }, /is an empty range; since must be before until/],
  [{ since: "tomorrow" }, /parameter since: "tomorrow" is not a time; expected a date/],
])("the range %j is refused", (flags, message) => {
  expect(() => range(ranged, flags)).toThrow(UsageError);
  expect(() => range(ranged, flags)).toThrow(message);
});

test.each([
  ["x text", "x=a=b", "a=b"],
  ["x text", "x=", ""],
  ["x text", "x='; drop table t; --", "'; drop table t; --"],
  ["x text = null", undefined, null],
  ["x text = some words", undefined, "some words"],
  ["x integer", "x=42", "42"],
  ["x integer", "x=+9223372036854775807", "9223372036854775807"],
  ["x integer", "x=-9223372036854775808", "-9223372036854775808"],
  ["x number", "x=-1.5e3", -1500],
  ["x boolean", "x=true", true],
  ["x date", "x=2026-01-31T23:00:00Z", 20484],
  ["x timestamp", "x=1970-01-01T00:00:01Z", 1000],
])("%s given %s is read", (param, pair, expected) => {
  const given = readGivenParams({}, pair === undefined ? [] : [pair]);
  expect(buildQuestion(buildReport(param), given, nowMs).values["x"]?.value).toEqual(expected);
});

test.each([
  ["x integer", "x=1.5", /parameter x: "1.5" is not a whole number of 64 bits/],
  ["x integer", "x=9223372036854775808", /is not a whole number/],
  ["x integer", "x=0x10", /is not a whole number/],
  ["x integer", "x=", /is not a whole number/],
  ["x number", "x=1e999", /is not a number/],
  ["x number", "x=NaN", /is not a number/],
  ["x boolean", "x=TRUE", /is not true or false/],
  ["x date", "x=2026-02-30", /is not a time/],
])("%s refuses %s", (param, pair, message) => {
  const act = () => buildQuestion(buildReport(param), readGivenParams({}, [pair]), nowMs);
  expect(act).toThrow(UsageError);
  expect(act).toThrow(message);
});

test("a missing value names the parameter and lists the others", () => {
  const report = buildReport("actor text required", "least integer = 3");
  expect(listMissingParams(report, readGivenParams({}, [])).map(({ name }) => name)).toEqual([
    "actor",
  ]);
  expect(() => buildQuestion(report, readGivenParams({}, []), nowMs)).toThrow(
    "report a needs --param actor=… (params in the configuration); a takes actor text required, least integer = 3",
  );
});

test("a report with its defaults has nothing for a required value", () => {
  const report = buildReport("actor text required", "least integer = 3");
  expect(buildDefaultQuestion(report, nowMs).values).toEqual({
    actor: { type: "text", value: null },
    least: { type: "integer", value: "3" },
  });
});

test("a period replaces both ends of a range, and is refused beside either", () => {
  expect([...readGivenParams({ during: "yesterday" }, ["x=1"], nowMs)]).toEqual([
    ["since", "2026-11-20T00:00:00.000Z"],
    ["until", "2026-11-21T00:00:00.000Z"],
    ["x", "1"],
  ]);
  for (const end of [{ since: "1d" }, { until: "now" }])
    expect(() => readGivenParams({ during: "2026-01", ...end }, [])).toThrow(
      "found --during together with --since or --until; expected one or the other",
    );
});

test("an unknown parameter lists what exists", () => {
  const given = readGivenParams({ since: "7d" }, []);
  const act = (...reports: Report[]) => refuseUnknown(given, reports);
  expect(() => act(buildReport("actor text"))).toThrow(
    'unknown parameter "since"; a takes actor text required',
  );
  expect(() => act(buildReport())).toThrow("a takes no parameters");
  expect(() => act(buildReport("x text"), buildReport("y text"))).toThrow("the reports take x, y");
  expect(() => act(buildReport(), buildReport())).toThrow("the reports take none");
  expect(() => act(buildReport("x text"), ranged)).not.toThrow();
});

test("a parameter cannot be given twice, nor without a name", () => {
  expect(() => readGivenParams({ since: "1d" }, ["since=2d"])).toThrow("since is given twice");
  expect(() => readGivenParams({}, ["a=1", "a=1"])).toThrow("a is given twice");
  for (const pair of ["a", "=1", ""])
    expect(() => readGivenParams({}, [pair])).toThrow(/expected name=value/);
});
