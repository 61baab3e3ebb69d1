import fc from "fast-check";
import { expect, it, test } from "vitest";
import { configSchema } from "../../schemas/config.ts";
import { durationKeys, parseDuration, formatDurationSetting } from "../../schemas/duration.ts";

test("the text of a duration is read as that duration again", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.constantFrom(1, 60, 3600, 86_400),
      (n, s) => {
        expect(parseDuration(formatDurationSetting(n * s * 1000))).toBe(n * s * 1000);
      },
    ),
    { seed: 45 },
  );
});

it.each([
  [3_600_000, "1h"],
  [172_800_000, "2d"],
  [90_000, "90s"],
  [1_209_600_000, "14d"],
  [0, "0s"],
  [1500, "1500 ms"],
])("%i ms is shown as %s", (ms, text) => {
  expect(formatDurationSetting(ms)).toBe(text);
});

test("every default of the configuration that is named as a duration is one", () => {
  const { sources } = configSchema.parse({ sources: { prod: {} } });
  const found = JSON.stringify(sources["prod"]).matchAll(/"(\w+)":(\d+)/g);
  const durations = [...found].filter(([, key]) => durationKeys.includes(key!));
  expect(durations.length).toBeGreaterThan(2);
  for (const [, , ms] of durations) expect(Number(ms) % 1000).toBe(0);
});
