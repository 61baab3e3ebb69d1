import fc from "fast-check";
import { expect, it } from "vitest";
import { phoneNumberOf } from "../../../../pipeline/deliver/messaging/phone.ts";

it.each([
  ["+1 631-555-5555", "+16315555555"],
  ["1 (631) 555.5555", "+16315555555"],
  ["0047 22 12 34 56", "+4722123456"],
  [4722123456, "+4722123456"],
  [4722123456n, "+4722123456"],
  ["+47\u00a022123456", "+4722123456"],
])("%s is %s", (given, expected) => {
  expect(phoneNumberOf(given)).toBe(expected);
});

it.each([
  null,
  true,
  "",
  "+",
  "22 12",
  "0631555555",
  "+1631555555512345",
  "+1631x5555555",
  1.5,
  -4722123456,
  "-4722123456",
  4722123456.5,
  "٤٧٢٢١٢٣٤٥٦",
])("%s is none", (given) => {
  expect(phoneNumberOf(given)).toBeUndefined();
});

it("in a column of numbers a dot is no separator", () => {
  expect(phoneNumberOf("4722123456.00", "number")).toBe("+4722123456");
  expect(phoneNumberOf("4722123456.50", "number")).toBeUndefined();
  expect(phoneNumberOf("-4722123456", "number")).toBeUndefined();
});

it("property: blanks, dashes, dots and brackets never matter", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
  const between = fc.array(fc.constantFrom("", " ", "-", ".", "(", ")", " - "), {
    minLength: 16,
    maxLength: 16,
  });
  fc.assert(
    fc.property(digits, between, fc.constantFrom("", "+", "00"), (number, gaps, prefix) => {
      const written = prefix + [...number].map((digit, at) => digit + gaps[at]!).join("");
      expect(phoneNumberOf(written)).toBe(`+${number}`);
    }),
  );
});
