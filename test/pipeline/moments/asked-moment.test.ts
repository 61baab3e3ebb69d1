import { expect, it } from "vitest";
import { momentMs } from "../../../pipeline/moments/asked-moment.ts";
import { toTimestamp } from "../../../pipeline/moments/text.ts";

it.each([
  ["2026-03-01", "Asia/Tokyo", "2026-03-01 14:59:59.999"],
  ["9999-12-31", "America/New_York", "9999-12-31 23:59:59.999"],
  ["0000-01-01", "Asia/Tokyo", "0000-01-01 00:00:00.000"],
])("%s in %s ends within the times that can be stored", (text, zone, expected) => {
  expect(toTimestamp(momentMs(text, zone, 0))).toBe(expected);
});
