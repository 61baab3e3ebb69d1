import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import { newClockCheck, ClockError, mostSkewMs } from "../../../../pipeline/core/source/clock.ts";

const nowMs = Date.UTC(2026, 2, 1);

/** What checks of these service times say, where the newest read is of now. */
function listMessages(isScheduledRun: boolean, times: readonly (number | undefined)[]): string[] {
  const said: string[] = [];
  const check = newClockCheck(
    isScheduledRun,
    nowMs,
    () => nowMs,
    (notice) => void said.push(formatNotice(notice)),
  );
  for (const time of times) check(time);
  return said;
}

it("a clock within the tolerance is accepted", () => {
  expect(listMessages(true, [nowMs, nowMs - mostSkewMs, nowMs + mostSkewMs, undefined])).toEqual(
    [],
  );
});

it("a scheduled run ends if the clock differs by more, and reports the difference", () => {
  for (const [offMs, said] of [
    [mostSkewMs + 1, /clock is 30 h behind the service's, expected 30 h at most; set it/],
    [-72 * 3_600_000, /clock is 3 d ahead of the service's/],
  ] as const) {
    expect(() => listMessages(true, [nowMs + offMs])).toThrow(ClockError);
    expect(() => listMessages(true, [nowMs + offMs])).toThrow(said);
  }
});

it("a given range causes only one warning", () => {
  const far = nowMs + 2 * mostSkewMs;
  expect(listMessages(false, [nowMs, far, far, nowMs, far])).toEqual([
    expect.stringMatching(
      /clock is 3 d behind the service's.*reads are dated wrongly and may not count$/,
    ),
  ]);
});

it("the newest read is checked if the service sends no time, and only for a clock behind it", () => {
  const at = (newestMs: number): string[] => {
    const said: string[] = [];
    newClockCheck(
      false,
      newestMs,
      () => nowMs,
      (notice) => void said.push(formatNotice(notice)),
    )(undefined);
    return said;
  };
  expect(at(nowMs - 365 * 86_400_000)).toEqual([]);
  expect(at(nowMs + 2 * mostSkewMs)).toEqual([
    expect.stringContaining("behind the newest stored read"),
  ]);
});
