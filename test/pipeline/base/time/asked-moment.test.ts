import { expect, it } from "vitest";
import { parseMomentMs } from "../../../../pipeline/base/time/times.ts";
import { toTimestamp } from "../../../../pipeline/base/time/text.ts";

it.each([
  ["2026-03-01", "Asia/Tokyo", "2026-03-01 14:59:59.999"],
  ["9999-12-31", "America/New_York", "9999-12-31 23:59:59.999"],
  ["0000-01-01", "Asia/Tokyo", "0000-01-01 00:00:00.000"],
])("%s in %s ends within the times that can be stored", (text, zone, expected) => {
  expect(toTimestamp(parseMomentMs(text, zone, 0))).toBe(expected);
});

// A Thursday; in Auckland it is the Friday after.
const nowMs = Date.UTC(2026, 10, 26, 19);

it.each([
  ["yesterday", "UTC", "2026-11-25 23:59:59.999"],
  ["yesterday", "Pacific/Auckland", "2026-11-26 10:59:59.999"],
  ["today", "UTC", "2026-11-26 23:59:59.999"],
  ["monday", "UTC", "2026-11-23 23:59:59.999"],
  ["last week", "UTC", "2026-11-22 23:59:59.999"],
  ["2026-10", "Europe/Berlin", "2026-10-31 22:59:59.999"],
  ["now", "Pacific/Auckland", "2026-11-26 19:00:00.000"],
  ["2026-11-25T10:00:00Z", "Pacific/Auckland", "2026-11-25 10:00:00.000"],
  ["1d", "Pacific/Auckland", "2026-11-25 19:00:00.000"],
])("%s in %s is its last moment there, like that of a date", (text, zone, expected) => {
  expect(toTimestamp(parseMomentMs(text, zone, nowMs))).toBe(expected);
});
