import { describe, expect, it } from "vitest";
import { parsePeriodWords } from "../../../../pipeline/base/time/periods.ts";
import { formatDay } from "../../../../pipeline/base/time/text.ts";

// A Thursday, just before the next day.
const nowMs = Date.UTC(2026, 10, 26, 23, 59, 59, 999);

const show = (text: string, atMs = nowMs): string | undefined => {
  const period = parsePeriodWords(text, atMs);
  return period && `${formatDay(period.startMs)} to ${formatDay(period.endMs)}`;
};

describe("a calendar period starts and ends at midnight", () => {
  it.each([
    ["today", "2026-11-26 to 2026-11-27"],
    ["yesterday", "2026-11-25 to 2026-11-26"],
    ["2026-02-28", "2026-02-28 to 2026-03-01"],
    ["2024-02-29", "2024-02-29 to 2024-03-01"],
    ["2026-12", "2026-12-01 to 2027-01-01"],
    ["2026-02", "2026-02-01 to 2026-03-01"],
    ["thursday", "2026-11-19 to 2026-11-20"],
    ["wednesday", "2026-11-25 to 2026-11-26"],
    ["friday", "2026-11-20 to 2026-11-21"],
    ["last sunday", "2026-11-22 to 2026-11-23"],
    ["last-monday", "2026-11-23 to 2026-11-24"],
    ["this week", "2026-11-23 to 2026-11-30"],
    ["last week", "2026-11-16 to 2026-11-23"],
    ["this-month", "2026-11-01 to 2026-12-01"],
    ["last month", "2026-10-01 to 2026-11-01"],
    ["this year", "2026-01-01 to 2027-01-01"],
    ["last 90 days", "2026-08-28 to 2026-11-26"],
    ["last-1-days", "2026-11-25 to 2026-11-26"],
    ["last-year", "2025-01-01 to 2026-01-01"],
  ])("%s: %s", (text, days) => {
    expect(show(text)).toBe(days);
  });

  it("in January, on a Monday, on a Sunday and before 1970, too", () => {
    expect(show("last month", Date.UTC(2026, 0, 31))).toBe("2025-12-01 to 2026-01-01");
    const monday = Date.UTC(2026, 10, 23);
    expect(show("this week", monday)).toBe("2026-11-23 to 2026-11-30");
    expect(show("monday", monday)).toBe("2026-11-16 to 2026-11-17");
    expect(show("this week", monday - 1)).toBe("2026-11-16 to 2026-11-23");
    // 28 December 1969 was a Sunday.
    expect(show("this week", Date.UTC(1969, 11, 28))).toBe("1969-12-22 to 1969-12-29");
    expect(show("sunday", Date.UTC(1969, 11, 29))).toBe("1969-12-28 to 1969-12-29");
    expect(show("monday", Date.UTC(1960, 0, 6))).toBe("1960-01-04 to 1960-01-05");
  });
});

it("is not read from other texts", () => {
  for (const text of [
    "2026-02-30",
    "2026-13",
    "2026-00",
    "2026-1",
    "2026",
    "26-10-01",
    "2026-10-31T00:00:00Z",
    "x2026-10",
    "next week",
    "week",
    "last day",
    "last  week",
    "this monday",
    "Monday",
    "todays",
    "",
  ])
    expect([text, show(text)]).toEqual([text, undefined]);
});
