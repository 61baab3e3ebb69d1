import fc from "fast-check";
import { expect, it } from "vitest";
import {
  formatDay,
  fromTimestamp,
  nameStamp,
  formatSecond,
  stampText,
  toTimestamp,
} from "../../../../pipeline/base/time/text.ts";

const moments = fc.date({
  min: new Date("0001-01-01"),
  max: new Date("9999-12-31"),
  noInvalidDate: true,
});

it("a moment and its stored form are equal, and every text is a part of it", () => {
  fc.assert(
    fc.property(moments, (date) => {
      const iso = date.toJSON();
      const stored = toTimestamp(date.getTime());
      expect(stored).toBe(`${iso.slice(0, 10)} ${iso.slice(11, 23)}`);
      expect(fromTimestamp(stored)).toBe(date.getTime());
      expect(fromTimestamp(`${stored}987`)).toBe(date.getTime());
      expect(formatDay(date.getTime())).toBe(iso.slice(0, 10));
      expect(fromTimestamp(iso.slice(0, 10))).toBe(Date.parse(`${iso.slice(0, 10)}T00:00:00Z`));
      expect(formatSecond(date.getTime())).toBe(`${iso.slice(0, 19)}Z`);
      expect(stampText(stored)).toBe(formatSecond(date.getTime()));
      const digits = iso.slice(0, 19).replaceAll(/[^0-9T]/g, "");
      expect(nameStamp(date.getTime())).toBe(`${digits}Z`);
    }),
  );
});

it.each(["+010000-01-01T00:00:00Z", "-000001-12-31T23:59:59.999Z"])(
  "%s has no stored form, since the database could not read it back",
  (moment) => {
    expect(() => toTimestamp(Date.parse(moment))).toThrow(
      /^found a time -?\d+ milliseconds from 1970, expected years from 0 to 9999; check the clock/,
    );
  },
);

it.each(["", "infinity", "-infinity", "2026-13-01 00:00:00"])(
  "%j is not a stored moment",
  (text) => {
    expect(fromTimestamp(text)).toBeNaN();
  },
);
