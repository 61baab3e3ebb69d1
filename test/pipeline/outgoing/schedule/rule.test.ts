import fc from "fast-check";
import { expect, test } from "vitest";
import {
  findLastRun,
  listNextRuns,
  parseRule,
} from "../../../../pipeline/outgoing/schedule/rule.ts";

const at = Date.parse("2026-11-21T10:30:00Z");

function next(text: string, count: number, timezone = "UTC", after = at): string[] {
  return listNextRuns(parseRule(text), timezone, after, count).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );
}

// Seed 002, Scheduled result export, rule 1.
test.each([
  ["@daily", ["2026-11-22T00:00", "2026-11-23T00:00"]],
  ["@hourly", ["2026-11-21T11:00", "2026-11-21T12:00"]],
  ["", []],
  ["none", []],
])("rule 1: %s", (text, runs) => {
  expect(next(text, 2)).toEqual(runs);
});

test("rule 1: @daily is midnight in the zone", () => {
  expect(next("@daily", 1, "Asia/Kolkata")).toEqual(["2026-11-21T18:30"]);
});

// Rule 4, with the example of the seed.
test.each([
  [
    "0 0 1 * 1",
    ["2026-11-23T00:00", "2026-11-30T00:00", "2026-12-07T00:00"],
    /day of week applies/,
  ],
  [
    "0 0 */2 * 1",
    ["2026-11-23T00:00", "2026-11-25T00:00", "2026-11-27T00:00"],
    /day of month applies/,
  ],
  [
    "0 0 1-5 * 1",
    ["2026-12-01T00:00", "2026-12-02T00:00", "2026-12-03T00:00"],
    /day of month applies/,
  ],
  [
    "0 0 30 feb 1",
    ["2027-02-01T00:00", "2027-02-08T00:00", "2027-02-15T00:00"],
    /day of week applies/,
  ],
  // Every day of the month, and every day of the week: if both run equally often, the day of month applies.
  [
    "0 0 1-31 * 0-6",
    ["2026-11-22T00:00", "2026-11-23T00:00", "2026-11-24T00:00"],
    /day of month applies, because it runs at least as often/,
  ],
])("rule 4: %s follows the day that runs more often", (text, runs, note) => {
  expect(next(text, 3)).toEqual(runs);
  expect(parseRule(text).note).toMatch(note);
});

test("fields without a conflict have no note", () => {
  expect(parseRule("0 0 1 * *").note).toBeUndefined();
  expect(parseRule("0 0 * * 1").note).toBeUndefined();
});

test("a day that never occurs is reported", () => {
  expect(next("0 0 30 feb *", 3)).toEqual([]);
});

// 28 March and 31 October 2027 are the days on which clocks are changed there.
test("a skipped time runs right after the gap, and a repeated one runs once", () => {
  const oslo = "Europe/Oslo";
  expect(next("30 2 * * *", 3, oslo, Date.parse("2027-03-26T12:00:00Z"))).toEqual([
    "2027-03-27T01:30",
    "2027-03-28T01:00",
    "2027-03-29T00:30",
  ]);
  expect(next("30 2 * * *", 3, oslo, Date.parse("2027-10-29T12:00:00Z"))).toEqual([
    "2027-10-30T00:30",
    "2027-10-31T00:30",
    "2027-11-01T01:30",
  ]);
});

test("an hourly job runs every hour through the change of clocks", () => {
  for (const after of ["2027-03-27T20:00:00Z", "2027-10-30T20:00:00Z"]) {
    const runs = listNextRuns(parseRule("@hourly"), "Europe/Oslo", Date.parse(after), 12);
    expect(runs.every((ms, i) => i === 0 || ms - runs[i - 1]! === 3_600_000)).toBe(true);
  }
});

test("a star in the field of the hour is recognized in any position", () => {
  for (const text of ["0 */2,5 * * *", "0 5,*/2 * * *"]) {
    const spring = next(text, 3, "Europe/Oslo", Date.parse("2027-03-27T23:30:00Z"));
    // A time at two in the morning does not exist; nothing replaces it.
    expect(spring).toEqual(["2027-03-28T02:00", "2027-03-28T03:00", "2027-03-28T04:00"]);
  }
});

test("the last run is at or before the moment", () => {
  const rule = parseRule("0 10 * * *");
  const ten = Date.parse("2026-11-21T10:00:00Z");
  expect(findLastRun(rule, "UTC", ten)).toBe(ten);
  expect(findLastRun(rule, "UTC", ten + 999)).toBe(ten);
  expect(findLastRun(rule, "UTC", ten - 1)).toBe(ten - 86_400_000);
  expect(findLastRun(parseRule("none"), "UTC", ten)).toBeUndefined();
});

test("the runs are exactly the matching minutes", () => {
  const field = (min: number, max: number): fc.Arbitrary<number[] | null> =>
    fc.option(fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 6 }));
  const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
  fc.assert(
    fc.property(fields, ([minute, hour, date, month, weekday]) => {
      const days = date === null ? weekday : null;
      const parts = [minute, hour, date, month, days];
      const text = parts.map((values) => values?.join(",") ?? "*").join(" ");
      const fits = (time: Date): boolean =>
        [
          time.getUTCMinutes(),
          time.getUTCHours(),
          time.getUTCDate(),
          time.getUTCMonth() + 1,
          time.getUTCDay(),
        ].every((value, i) => parts[i] === null || parts[i]!.includes(value));
      const wanted: number[] = [];
      const until = at + 3 * 86_400_000;
      for (let ms = at + 60_000; ms <= until; ms += 60_000) if (fits(new Date(ms))) wanted.push(ms);
      const runs = listNextRuns(parseRule(text), "UTC", at, wanted.length + 1);
      expect(runs.filter((ms) => ms <= until)).toEqual(wanted);
    }),
    { seed: 11, numRuns: 60 },
  );
});
