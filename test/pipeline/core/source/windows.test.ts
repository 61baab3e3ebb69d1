import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planScheduledRange, splitIntoWindows } from "../../../../pipeline/core/source/windows.ts";

const dayMs = 86_400_000;

describe("windows", () => {
  it("are on a grid that starts at the epoch, and cover the range", () => {
    const range = { startMs: 10 * dayMs + 5, endMs: 12 * dayMs + 1 };
    expect(splitIntoWindows(range, dayMs)).toEqual([
      { startMs: 10 * dayMs, endMs: 11 * dayMs },
      { startMs: 11 * dayMs, endMs: 12 * dayMs },
      { startMs: 12 * dayMs, endMs: 13 * dayMs },
    ]);
  });

  it("end where the range ends on the grid", () => {
    expect(splitIntoWindows({ startMs: dayMs, endMs: 2 * dayMs }, dayMs)).toHaveLength(1);
    expect(splitIntoWindows({ startMs: dayMs, endMs: dayMs }, dayMs)).toEqual([]);
    expect(splitIntoWindows({ startMs: 2 * dayMs, endMs: dayMs }, dayMs)).toEqual([]);
  });

  it("are adjacent without a gap or an overlap, and no window is empty", () => {
    const parts = {
      start: fc.nat(4e12),
      length: fc.integer({ min: 1, max: 1e9 }),
      size: fc.integer({ min: 60_000, max: 1e9 }),
    };
    fc.assert(
      fc.property(fc.record(parts), ({ start, length, size }) => {
        fc.pre(length / size < 2000);
        const windows = splitIntoWindows({ startMs: start, endMs: start + length }, size);
        expect(windows[0]!.startMs).toBeLessThanOrEqual(start);
        expect(windows[0]!.endMs).toBeGreaterThan(start);
        expect(windows.at(-1)!.startMs).toBeLessThan(start + length);
        expect(windows.at(-1)!.endMs).toBeGreaterThanOrEqual(start + length);
        for (const [i, window] of windows.entries()) {
          expect(window.startMs % size).toBe(0);
          expect(window.endMs - window.startMs).toBe(size);
          if (i > 0) expect(window.startMs).toBe(windows[i - 1]!.endMs);
        }
      }),
      { seed: 3 },
    );
  });
});

describe("the scheduled range", () => {
  const now = 100 * dayMs;

  it("starts at the look-back if everything is finalized, and at first", () => {
    const expected = { startMs: now - 2 * dayMs, endMs: now };
    expect(planScheduledRange(undefined, 2 * dayMs, now)).toEqual(expected);
    expect(planScheduledRange(now - dayMs, 2 * dayMs, now)).toEqual(expected);
  });

  it("starts at the checkpoint if runs were missed", () => {
    expect(planScheduledRange(now - 9 * dayMs, 2 * dayMs, now).startMs).toBe(now - 9 * dayMs);
  });
});
