import { describe, expect, it } from "vitest";
import { divideRange } from "../../../../pipeline/answers/events/buckets.ts";
import { newRandom } from "../../../../fixtures/random.ts";

// Buckets of a histogram, seen by what clocks of the zone show at their borders.
const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
];

// Making a format takes longer than all its uses.
const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    }),
  ]),
);

function showClock(
  ms: number,
  timeZone: string,
): { day: string; weekday: string; minutes: number } {
  const format = formats.get(timeZone)!;
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return {
    day: `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`,
    weekday: parts.get("weekday")!,
    minutes: Number(parts.get("hour")) * 60 + Number(parts.get("minute")),
  };
}

const start = Date.UTC(2026, 9, 22);

it.each([
  [1, "15 minutes", 96],
  [2, "30 minutes", 96],
  [4, "hour", 96],
  [7, "2 hours", 84],
  [8, "2 hours", 96],
  [30, "8 hours", 90],
  [60, "day", 60],
  [90, "day", 90],
  [600, "week", 87],
] as const)("divides %i days by %s into %i buckets", (days, unit, count) => {
  const range = { startMs: start, endMs: start + days * dayMs };
  const buckets = divideRange(range, "UTC");
  expect([buckets.unit, buckets.borders.length]).toEqual([unit, count]);
});

describe.each(zones)("event counts in the zone %s", (zone) => {
  const random = newRandom(1, zone);
  const ranges = Array.from({ length: 60 }, () => {
    // Around the days on which clocks change, and anywhere.
    const around = random.pick([
      Date.UTC(2026, 2, 29),
      Date.UTC(2026, 9, 25),
      Date.UTC(2018, 10, 4),
    ]);
    const startMs =
      around + random.int(-40, 40) * random.pick([7 * minuteMs, 60 * minuteMs, dayMs]);
    return {
      startMs,
      endMs:
        startMs + random.int(1, 100) * random.pick([minuteMs, 60 * minuteMs, dayMs, 7 * dayMs]),
    };
  });

  it("cover a range without gaps, with complete slots", () => {
    for (const { startMs, endMs } of ranges) {
      const { borders, endMs: lastMs, slotMs } = divideRange({ startMs, endMs }, zone);
      const all = [...borders, lastMs];
      expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
      expect(all[0]).toBeLessThanOrEqual(startMs);
      expect(all[1]).toBeGreaterThan(startMs);
      expect(borders.at(-1)).toBeLessThan(endMs);
      expect(lastMs).toBeGreaterThanOrEqual(endMs);
      expect(all.filter((border) => border % slotMs !== 0)).toEqual([]);
    }
  });

  it("start buckets where clocks show a multiple of their length", () => {
    const minutesOf: Readonly<Record<string, number>> = {
      minute: 1,
      "5 minutes": 5,
      "15 minutes": 15,
      "30 minutes": 30,
      hour: 60,
      "2 hours": 120,
      "4 hours": 240,
      "8 hours": 480,
      "12 hours": 720,
      day: 1440,
      week: 1440,
    };
    for (const range of ranges) {
      const { borders, unit } = divideRange(range, zone);
      for (const border of borders) {
        const { minutes, weekday } = showClock(border, zone);
        const before = showClock(border - 1, zone);
        // If clocks are set forward over a border, the first moment after it counts.
        const isGap = minutes - before.minutes > 1 || before.day !== showClock(border, zone).day;
        if (!isGap) expect(minutes % minutesOf[unit]!).toBe(0);
        if (unit === "week") expect(weekday).toBe("Mon");
      }
    }
  });

  it("have one bucket for each day, regardless of its length", () => {
    const startMs = Date.UTC(2026, 2, 1, 12);
    const { borders } = divideRange({ startMs, endMs: startMs + 70 * dayMs }, zone);
    const days = borders.map((border) => showClock(border, zone).day);
    expect(new Set(days).size).toBe(days.length);
    expect(borders.length).toBe(71);
  });
});
