import { expect, test } from "vitest";
import { judgeDay } from "../../../../pipeline/answers/status/window-days.ts";

const hourMs = 3_600_000;
const dayStart = Date.UTC(2026, 2, 3);
const window = (state: string, fromHour: number, toHour: number) => ({
  state,
  startMs: dayStart + fromHour * hourMs,
  endMs: dayStart + toHour * hourMs,
});

test.each([
  [[], "unread"],
  [[window("finalized", 0, 24)], "verified"],
  [[window("accepted", 0, 24)], "verified"],
  [[window("finalized", 0, 12), window("closed", 12, 24)], "closed"],
  [[window("closed", 0, 24), window("open", 23, 30)], "open"],
  [[window("finalized", 0, 24), window("gap", 5, 6)], "gap"],
  [[window("finalized", 0, 24), window("gap", 24, 30)], "verified"],
  [[window("finalized", 0, 24), window("gap", -5, 0)], "verified"],
  [[window("closed", -24, 0), window("closed", 24, 48)], "unread"],
  [[window("another", 0, 24)], "open"],
] as const)("a day with windows %j is %s", (windows, state) => {
  expect(judgeDay(dayStart, windows)).toBe(state);
});
