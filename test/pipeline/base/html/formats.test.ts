import { expect, it } from "vitest";
import {
  formatTime,
  formatTimeRange,
  formatTimeText,
  writePerson,
} from "../../../../pipeline/base/html/formats.ts";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";

const nowMs = Date.UTC(2026, 10, 28);

it.each([
  ["2026-11-22T17:50:03Z", { zone: "UTC" }, "22 Nov 17:50"],
  ["2026-11-22 17:50:03.25", { zone: "UTC", seconds: true }, "22 Nov 17:50:03"],
  ["2026-11-22T17:50:03Z", { zone: "UTC", day: true }, "Sun 22 Nov 17:50"],
  ["2026-11-22T23:50:03Z", { zone: "Asia/Tokyo" }, "23 Nov 08:50"],
  ["2026-11-22", { zone: "Asia/Tokyo" }, "Sun 22 Nov"],
  ["2025-11-22T17:50:03Z", { zone: "UTC", nowMs }, "22 Nov 2025 17:50"],
  ["2026-01-01T00:30:00+05:30", { zone: "UTC" }, "31 Dec 19:00"],
  ["yesterday", { zone: "UTC" }, "yesterday"],
  ["2026-13-01", { zone: "UTC" }, "2026-13-01"],
])("shows %s as %o: %s", (text, style, shown) => {
  expect(formatTimeText(text, style)).toBe(shown);
});

it("a time has its full form with weekday and zone in the title", () => {
  expect(getMarkupText(formatTime("2026-11-22T17:50:03.25Z", { zone: "Asia/Kolkata" }))).toMatch(
    /^<time datetime="2026-11-22T17:50:03.250Z" title="Sun 22 Nov 2026 23:20:03.250 Asia\/Kolkata \(UTC\+5:30\)"\s*>22 Nov 23:20<\/time\s*>$/,
  );
});

it.each([
  ["2026-11-22T17:55:00Z", "2026-11-22T18:57:00Z", "22 Nov 17:55–18:57"],
  ["2026-11-22T17:55:10Z", "2026-11-22T17:55:50Z", "22 Nov 17:55"],
  ["2026-11-22T17:55:00Z", "2026-11-23T01:00:00Z", "22 Nov 17:55 – 23 Nov 01:00"],
  ["2026-11-20", "2026-11-26", "Fri 20 Nov – Thu 26 Nov"],
])("a range from %s to %s is shown as %s", (from, to, shown) => {
  const text = getMarkupText(formatTimeRange(from, to, { zone: "UTC" }));
  expect(text.replaceAll(/<[^>]*>/g, "")).toBe(shown);
});

it("people of the usual domain are shortened, with the complete address in the title", () => {
  const shown = (person: string, href?: string): string =>
    getMarkupText(writePerson(person, { href, domain: "example.com" })).replaceAll(/\s+/g, " ");
  expect(shown("ada@example.com", "/p")).toBe('<a href="/p" title="ada@example.com">ada</a>');
  expect(shown("ada@example.com")).toBe('<span title="ada@example.com">ada</span>');
  expect(shown("ada@other.org")).toBe("ada@other.org");
  expect(shown("@example.com")).toBe("@example.com");
  expect(shown("user 17")).toBe("user 17");
});
