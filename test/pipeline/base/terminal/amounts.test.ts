import fc from "fast-check";
import { expect, it } from "vitest";
import {
  formatBytes,
  countText,
  formatDuration,
  formatCount,
  wrapWords,
  wrapText,
} from "../../../../pipeline/base/terminal/amounts.ts";

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.00 kB"],
  [999_499, "999 kB"],
  [999_500, "1.00 MB"],
  [12_345_678, "12.3 MB"],
  [5e12, "5.00 TB"],
  [5e15, "5000 TB"],
])("%d bytes are printed as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [0, "0 s"],
  [-5, "0 s"],
  [59.6, "1 min"],
  [65, "1 min 5 s"],
  [3600, "1 h"],
  [90_061, "1 d 1 h"],
  [86_400 + 59, "1 d"],
])("%d seconds are printed as %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

it("the digits of whole numbers are grouped by language", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(countText(count)).toBe(count.toLocaleString("en-US"));
    }),
  );
});

it("digits are grouped and nouns counted", () => {
  expect([countText(1234567), formatCount(1, "row"), formatCount(2000, "row")]).toEqual([
    "1,234,567",
    "1 row",
    "2,000 rows",
  ]);
});

it("lists and texts are wrapped", () => {
  expect(wrapWords(["aa", "bb", "cc", "a-very-long-one"], 8)).toEqual([
    "aa, bb,",
    "cc,",
    "a-very-long-one",
  ]);
  expect(wrapWords([], 8)).toEqual([]);
  expect(wrapText("one two three", 7)).toEqual(["one two", "three"]);
});
