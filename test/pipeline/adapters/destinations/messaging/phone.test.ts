import fc from "fast-check";
import { expect, it } from "vitest";
import { toPhoneNumber } from "../../../../../pipeline/adapters/destinations/messaging/recipients.ts";

it.each([
  ["+1 631-555-5555", "+16315555555"],
  ["+1 (631) 555.5555", "+16315555555"],
  ["0047 22 12 34 56", "+4722123456"],
  ["+47\u00a022123456", "+4722123456"],
])("%s is read as %s", (given, expected) => {
  expect(toPhoneNumber(given)).toBe(expected);
});

it.each([
  null,
  true,
  "",
  "+",
  "22 12",
  "0631555555",
  "631-555-5555",
  "1 (631) 555.5555",
  4722123456,
  4722123456n,
  "+1631555555512345",
  "+1631x5555555",
  1.5,
  -4722123456,
  "-4722123456",
  4722123456.5,
  "٤٧٢٢١٢٣٤٥٦",
])("%s is invalid", (given) => {
  expect(toPhoneNumber(given)).toBeUndefined();
});

it.each([
  ["631-555-5555", "1", "+16315555555"],
  ["1 (631) 555.5555", "1", "+16315555555"],
  ["22 12 34 56", "47", "+4722123456"],
  [22123456n, "47", "+4722123456"],
  ["030 901820", "49", "+4930901820"],
  ["06 698 12345", "39", "+390669812345"],
  ["0047 22 12 34 56", "49", "+4722123456"],
  ["+63 15555555", "1", "+6315555555"],
  ["1 631 555 5555", "included", "+16315555555"],
  [4722123456n, "included", "+4722123456"],
])("%s with default_country %s is read as %s", (given, country, expected) => {
  expect(toPhoneNumber(given, "text", country)).toBe(expected);
});

it("in a column of numbers a dot is no separator", () => {
  const read = (text: string) => toPhoneNumber(text, "number", "included");
  expect(read("4722123456.00")).toBe("+4722123456");
  expect(read("4722123456.50")).toBeUndefined();
  expect(read("-4722123456")).toBeUndefined();
});

it("property: blanks, dashes, dots and brackets never matter", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
  const between = fc.array(fc.constantFrom("", " ", "-", ".", "(", ")", " - "), {
    minLength: 16,
    maxLength: 16,
  });
  fc.assert(
    fc.property(digits, between, fc.constantFrom("+", "00"), (number, gaps, prefix) => {
      const written = prefix + [...number].map((digit, at) => digit + gaps[at]!).join("");
      expect(toPhoneNumber(written)).toBe(`+${number}`);
    }),
  );
});
