import { describe, expect, it } from "vitest";
import { toValue } from "../../../../../pipeline/adapters/destinations/marketing-cloud/layout.ts";
import type { Field } from "../../../../../pipeline/adapters/destinations/marketing-cloud/field.ts";
import type { Cell } from "../../../../../pipeline/base/rows/row.ts";

// Seed 002, A, Data operations, rule 3: what is an invalid record.

function field(type: string, more: Partial<Field> = {}): Field {
  const rest = { length: undefined, scale: undefined, isKey: false, isNullable: true };
  return { name: "f", type, ...rest, hasDefault: false, ...more };
}

const fits: readonly (readonly [Field, Cell, unknown])[] = [
  [field("TEXT", { length: 3 }), "abc", "abc"],
  [field("TEXT"), 7, "7"],
  [field("TEXT"), "", ""],
  [field("TEXT"), true, "true"],
  [field("NUMBER"), 7n, 7],
  [field("NUMBER"), "-7", -7],
  [field("NUMBER"), 9223372036854775807n, "9223372036854775807"],
  [field("DECIMAL", { length: 5, scale: 2 }), "123.456", "123.456"],
  [field("DECIMAL", { length: 5, scale: 2 }), "0000123.4", "0000123.4"],
  [field("DECIMAL", { length: 38, scale: 10 }), 1e-7, "0.0000001"],
  [field("DECIMAL", { length: 38, scale: 10 }), 1e21, "1000000000000000000000"],
  [field("BOOLEAN"), true, true],
  [field("BOOLEAN"), "False", false],
  [field("BOOLEAN"), 1, true],
  [field("DATE"), "2026-01-31", "2026-01-31"],
  [field("DATE"), "2026-01-31T10:20:30.5Z", "2026-01-31T10:20:30.5Z"],
  [field("EMAILADDRESS", { length: 254 }), "a@b", "a@b"],
  [field("PHONE"), "+1 (631) 555-5555", "+1 (631) 555-5555"],
  [field("LOCALE", { length: 5 }), "en-us", "en-us"],
  [field("BASE16ENCRYPTED"), "00ff", "00ff"],
  [field("SOMETHINGNEW"), "x", "x"],
  [field("NUMBER"), null, null],
  [field("NUMBER"), "", null],
  [field("TEXT", { isNullable: false, hasDefault: true }), null, null],
];

const misfits: readonly (readonly [Field, Cell, string])[] = [
  [field("TEXT", { length: 3 }), "abcd", "longer than 3 characters"],
  [field("TEXT", { isKey: true, isNullable: false }), null, "part of the primary key"],
  [field("TEXT", { isKey: true, isNullable: false }), "", "part of the primary key"],
  [field("TEXT", { isNullable: false }), null, "is null, but required"],
  [field("NUMBER"), "1.5", "not an integer"],
  [field("NUMBER"), true, "not an integer"],
  [field("NUMBER"), Number.NaN, "not an integer"],
  [field("DECIMAL", { length: 5, scale: 2 }), "1234.5", "more than 3 digits before the point"],
  [field("DECIMAL"), "abc", "not a decimal number"],
  [field("DECIMAL"), ".", "not a decimal number"],
  [field("DECIMAL"), Number.POSITIVE_INFINITY, "not a decimal number"],
  [field("BOOLEAN"), "maybe", "neither true nor false"],
  [field("DATE"), "31.01.2026", "not a date"],
  [field("DATE"), "2026-13-01", "not a date"],
  [field("DATE"), "infinity", "not a date"],
  [field("EMAILADDRESS"), "a.b", "not an e-mail address"],
  [field("EMAILADDRESS", { length: 5 }), "ab@cd.e", "longer than 5 characters"],
  [field("PHONE"), "call me", "not a phone number"],
  [field("LOCALE"), "english", "not a locale"],
];

describe("a value", () => {
  it.each(fits)("fits %o: %o", (into, cell, value) => {
    expect(toValue(cell, into)).toBe(value);
  });

  it.each(misfits)("does not fit %o: %o", (into, cell, why) => {
    const value = toValue(cell, into) as { misfit: string };
    expect(value.misfit).toContain(why);
    if (typeof cell === "string" && cell.length > 1) expect(value.misfit).not.toContain(cell);
  });
});
