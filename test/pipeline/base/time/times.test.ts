import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { parseMoment } from "../../../../pipeline/base/time/times.ts";

const nowMs = Date.parse("2026-11-21T12:00:00.250Z");

test.each([
  ["now", "2026-11-21T12:00:00.250Z"],
  ["7d", "2026-11-14T12:00:00.250Z"],
  ["12h", "2026-11-21T00:00:00.250Z"],
  ["0s", "2026-11-21T12:00:00.250Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T10:20", "2026-01-31T10:20:00.000Z"],
  ["2026-01-31T10:20:30", "2026-01-31T10:20:30.000Z"],
  ["2026-01-31 10:20:30", "2026-01-31T10:20:30.000Z"],
  ["2026-01-31T10:20:30Z", "2026-01-31T10:20:30.000Z"],
  ["2026-01-31t10:20:30z", "2026-01-31T10:20:30.000Z"],
  ["2026-01-31T10:20:30.5Z", "2026-01-31T10:20:30.500Z"],
  ["2026-01-31T10:20:30.123999999Z", "2026-01-31T10:20:30.123Z"],
  ["2026-01-31T10:20:30+05:30", "2026-01-31T04:50:30.000Z"],
  ["2026-01-31T23:20:30-03:30", "2026-02-01T02:50:30.000Z"],
  ["2026-01-31T10:20:30-00:00", "2026-01-31T10:20:30.000Z"],
  ["0000-01-01", "0000-01-01T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ["today", "2026-11-21T00:00:00.000Z"],
  ["yesterday", "2026-11-20T00:00:00.000Z"],
  ["2026-10", "2026-10-01T00:00:00.000Z"],
  ["this month", "2026-11-01T00:00:00.000Z"],
  ["last month", "2026-10-01T00:00:00.000Z"],
  ["last-year", "2025-01-01T00:00:00.000Z"],
  ["this week", "2026-11-16T00:00:00.000Z"],
  ["last week", "2026-11-09T00:00:00.000Z"],
  // The 21st is a Saturday.
  ["friday", "2026-11-20T00:00:00.000Z"],
  ["last saturday", "2026-11-14T00:00:00.000Z"],
  ["sunday", "2026-11-15T00:00:00.000Z"],
])("%s is %s", (text, expected) => {
  expect(new Date(parseMoment(text, nowMs)).toISOString()).toBe(expected);
});

test.each([
  "",
  " ",
  "tomorrow",
  "last moon",
  "2026-13",
  "2026-00",
  "last",
  "Last month",
  "Now",
  "7",
  "-7d",
  "7 d",
  "1.5h",
  "7x",
  "999999999w",
  "2026-02-30",
  "2025-02-29",
  "2026-13-01",
  "2026-00-10",
  "2026-1-1",
  "20260131",
  "26-01-31",
  "2026-01-31T24:00:00Z",
  "2026-01-31T10:60:00Z",
  "2026-01-31T10:20:60Z",
  "2026-01-31T10",
  "2026-01-31T10:20:30+24:00",
  "2026-01-31T10:20:30+05:60",
  "2026-01-31T10:20:30+0530",
  "2026-01-31T10:20:30.Z",
  "2026-01-31 10:20:30 Z",
  "2026-01-31Z",
  " 2026-01-31",
  "2026-01-31\n",
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-01:00",
])("%j is refused", (text) => {
  expect(() => parseMoment(text, nowMs)).toThrow(UsageError);
  expect(() => parseMoment(text, nowMs)).toThrow(/expected a date \(2026-01-31\)/);
});

test("every instant written in RFC 3339 comes back, in any zone", () => {
  const instants = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9998-12-31T00:00:00Z"),
    noInvalidDate: true,
  });
  const zones = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  fc.assert(
    fc.property(instants, zones, (instant, zone) => {
      const local = new Date(instant.getTime() + zone * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.trunc(Math.abs(zone) / 60), Math.abs(zone) % 60];
      const offset = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
      const text = `${local}${zone < 0 ? "-" : "+"}${offset}`;
      expect(parseMoment(text, nowMs)).toBe(instant.getTime());
    }),
    { seed: 1, numRuns: 2000 },
  );
});
