import { expect, it } from "vitest";
import { formatLocalTime } from "../../../../pipeline/base/time/wall.ts";

it("no offset is printed if it is zero, also in summer", () => {
  const times = ["2026-01-05T02:15:00Z", "2026-07-06T02:15:00Z"].flatMap((text) =>
    ["UTC", "Europe/London", "Asia/Kolkata"].map((zone) => formatLocalTime(Date.parse(text), zone)),
  );
  expect(times).toEqual([
    "Mon 2026-01-05 02:15 UTC",
    "Mon 2026-01-05 02:15 UTC",
    "Mon 2026-01-05 07:45 GMT+5:30",
    "Mon 2026-07-06 02:15 UTC",
    "Mon 2026-07-06 03:15 GMT+1",
    "Mon 2026-07-06 07:45 GMT+5:30",
  ]);
});
