import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planFetches } from "../../../../pipeline/core/ingest/plan-fetches.ts";
import { splitWindow } from "../../../../pipeline/core/source/windows.ts";
import type { CoveredInterval } from "../../../../pipeline/core/store/ledger/coverage.ts";
import type { WindowState } from "../../../../pipeline/core/store/ledger/record.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const range = { startMs: 10 * dayMs, endMs: 12 * dayMs + 2 * hourMs };

/** An interval in hours from the start of the range. */
const listHeld = (from: number, to: number, state: WindowState): CoveredInterval => ({
  startMs: range.startMs + from * hourMs,
  endMs: range.startMs + to * hourMs,
  state,
});
const hours = (intervals: readonly CoveredInterval[], windowMs = dayMs): [number, number][] =>
  planFetches(range, windowMs, intervals).map(({ startMs, endMs }) => [
    (startMs - range.startMs) / hourMs,
    (endMs - range.startMs) / hourMs,
  ]);

describe("a plan of reads", () => {
  it("has the windows of the range, oldest first, if nothing was read", () => {
    expect(hours([])).toEqual([
      [0, 24],
      [24, 48],
      [48, 72],
    ]);
  });

  it("starts with windows that no read has shown completely, then those that wait for a second read", () => {
    expect(
      hours([listHeld(0, 24, "finalized"), listHeld(24, 48, "closed"), listHeld(48, 72, "open")]),
    ).toEqual([
      [48, 72],
      [24, 48],
      [0, 24],
    ]);
  });

  it("resumes in the parts of a window, with the remaining parts", () => {
    const parts = [
      listHeld(0, 6, "closed"),
      listHeld(6, 9, "finalized"),
      listHeld(24, 48, "closed"),
    ];
    expect(hours(parts)).toEqual([
      [9, 24],
      [48, 72],
      [0, 6],
      [24, 48],
      [6, 9],
    ]);
    expect(hours([listHeld(0, 6, "closed"), listHeld(6, 24, "open")])[0]).toEqual([6, 24]);
    expect(hours([listHeld(6, 12, "closed")]).slice(0, 2)).toEqual([
      [0, 6],
      [12, 24],
    ]);
  });

  it("does not treat a longer window as a part", () => {
    expect(hours([listHeld(-24, 48, "closed")])).toEqual([
      [48, 72],
      [0, 24],
      [24, 48],
    ]);
  });

  it("cuts a window like the window before it", () => {
    const planned = planFetches(range, dayMs, [
      listHeld(-24, -12, "finalized"),
      listHeld(-12, -3, "finalized"),
      listHeld(-3, 0, "finalized"),
    ]);
    expect(planned.map(({ splitsMs }) => splitsMs)).toEqual([
      [range.startMs + 12 * hourMs, range.startMs + 21 * hourMs],
      [],
      [],
    ]);
  });

  it("covers each window once, after any reads", () => {
    const interval = fc.record({
      from: fc.integer({ min: -30, max: 80 }),
      length: fc.integer({ min: 1, max: 40 }),
      state: fc.constantFrom<WindowState>("open", "closed", "finalized"),
    });
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 12 }), (drawn) => {
        const intervals: CoveredInterval[] = [];
        for (const { from, length, state } of drawn.sort((a, b) => a.from - b.from)) {
          const start = Math.max(
            from,
            ((intervals.at(-1)?.endMs ?? -Infinity) - range.startMs) / hourMs,
          );
          if (start < from + length) intervals.push(listHeld(start, from + length, state));
        }
        const planned = planFetches(range, dayMs, intervals).sort((a, b) => a.startMs - b.startMs);
        let atMs = range.startMs;
        for (const { startMs, endMs } of planned) {
          expect(startMs).toBe(atMs);
          expect(endMs).toBeGreaterThan(startMs);
          atMs = endMs;
        }
        expect(atMs).toBe(13 * dayMs);
      }),
      { seed: 5 },
    );
  });
});

describe("the parts of a window", () => {
  it("are its halves, in whole seconds, down to one second", () => {
    let window = { startMs: 0, endMs: dayMs };
    for (let depth = 0; ; depth++) {
      const parts = splitWindow(window);
      if (parts === undefined) {
        expect([window.endMs - window.startMs, depth]).toEqual([1000, 17]);
        break;
      }
      const [left, right] = parts;
      expect([left!.startMs, left!.endMs, right!.endMs]).toEqual([
        window.startMs,
        right!.startMs,
        window.endMs,
      ]);
      expect(left!.endMs % 1000).toBe(0);
      window = right!;
    }
  });

  it("follow previous cuts inside of it", () => {
    expect(splitWindow({ startMs: 0, endMs: 9000 }, [0, 2000, 7000, 9000])).toEqual([
      { startMs: 0, endMs: 2000 },
      { startMs: 2000, endMs: 7000 },
      { startMs: 7000, endMs: 9000 },
    ]);
    expect(splitWindow({ startMs: 0, endMs: 9000 }, [9000])).toHaveLength(2);
  });

  it("do not exist for a second", () => {
    expect(splitWindow({ startMs: 5000, endMs: 6000 })).toBeUndefined();
  });
});
