import { expect, it } from "vitest";
import { type RangeFlags, parseRange } from "../../../../pipeline/answers/investigate/resolve.ts";

const nowMs = Date.UTC(2026, 0, 15, 12);
const at = "2026-01-10T12:00:00Z";

const listMessages = (flags: RangeFlags): string => {
  try {
    const { sinceMs, untilMs } = parseRange(flags, nowMs);
    return [sinceMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 19)).join(" ");
  } catch (error) {
    return (error as Error).message;
  }
};
const beside = "found --at beside --since or --until; expected one or the other";
const during = "found --during beside another range; expected one of them";

it.each<[flags: RangeFlags, message: string]>([
  [{}, "2026-01-08T12:00:00 2026-01-15T12:00:00"],
  [{ since: "2026-01-01" }, "2026-01-01T00:00:00 2026-01-15T12:00:00"],
  [{ until: "2026-01-14T00:00:00Z" }, "2026-01-08T12:00:00 2026-01-14T00:00:00"],
  [{ at }, "2026-01-10T11:00:00 2026-01-10T13:00:00"],
  [{ at, window: "30m" }, "2026-01-10T11:45:00 2026-01-10T12:15:00"],
  [{ during: "2026-01-03" }, "2026-01-03T00:00:00 2026-01-04T00:00:00"],
  [{ window: "1h" }, "--window is the time around --at; add --at"],
  [{ at, window: "0s" }, '--window "0s": expected a duration such as 2h or 30m'],
  [{ at, window: "long" }, '--window "long": expected a duration such as 2h or 30m'],
  [{ at, since: "7d" }, beside],
  [{ at, until: "now" }, beside],
  ...(["at", "window", "since", "until"] as const).map((flag): [RangeFlags, string] => [
    { during: "2026-01-03", [flag]: "1h" },
    during,
  ]),
  [
    { since: "now", until: "now" },
    "since 2026-01-15T12:00:00.000Z is not before until 2026-01-15T12:00:00.000Z; expected the earlier one as --since",
  ],
])("the flags %j mean the range %s", (flags, expected) => {
  expect(listMessages(flags)).toBe(expected);
});
