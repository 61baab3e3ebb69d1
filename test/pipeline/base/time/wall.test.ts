import { expect, it } from "vitest";
import {
  changeBetween,
  isNearChange,
  computeOffset,
  findMoments,
  toWallMs,
} from "../../../../pipeline/base/time/wall.ts";

// Clocks of Berlin are set forward on 29 March 2026 and back on 25 October, both at 01:00 UTC.
const zone = "Europe/Berlin";
const hourMs = 3_600_000;
const forward = Date.UTC(2026, 2, 29, 1);
const back = Date.UTC(2026, 9, 25, 1);

it("clocks are ahead of UTC by what the zone has at that moment, to the millisecond", () => {
  expect(computeOffset(zone, forward - 1)).toBe(hourMs);
  expect(computeOffset(zone, forward)).toBe(2 * hourMs);
  expect(computeOffset("America/New_York", forward)).toBe(-4 * hourMs);
  expect(computeOffset("Asia/Kolkata", forward + 999)).toBe(5.5 * hourMs);
  expect(toWallMs(zone, back - 1)).toBe(back + 2 * hourMs - 1);
  expect(toWallMs(zone, back)).toBe(back + hourMs);
});

it("clocks are near a change within a day of it", () => {
  const near = (hours: number): boolean => isNearChange(zone, forward + hours * hourMs);
  for (const hours of [-24, -12, -1, 0, 12, 23])
    expect([hours, near(hours)]).toEqual([hours, true]);
  for (const hours of [-25, 24, 25]) expect([hours, near(hours)]).toEqual([hours, false]);
  expect(isNearChange("UTC", forward)).toBe(false);
});

it("a clock time occurs once, twice, or never", () => {
  const noon = Date.UTC(2026, 6, 1, 12);
  expect(findMoments(zone, noon)).toEqual({ moments: [noon - 2 * hourMs], gapEnd: undefined });
  const twice = back + 1.5 * hourMs;
  expect(findMoments(zone, twice)).toEqual({
    moments: [back - hourMs / 2, back + hourMs / 2],
    gapEnd: undefined,
  });
  for (const minutes of [60, 90, 119])
    expect(findMoments(zone, forward + minutes * 60_000)).toEqual({ moments: [], gapEnd: forward });
  expect(findMoments(zone, forward + hourMs - 1).moments).toEqual([forward - 1]);
  expect(findMoments(zone, forward + 2 * hourMs).moments).toEqual([forward]);
});

it("a change is found in steps from the start of the search", () => {
  for (const at of [1, 2, 499, 500, 998, 999])
    expect(changeBetween(0, 1000, 1, (ms) => ms >= at)).toBe(at);
  expect(changeBetween(0, 1000, 100, (ms) => ms >= 301)).toBe(400);
  expect(changeBetween(7, 1007, 100, (ms) => ms >= 307)).toBe(307);
});
