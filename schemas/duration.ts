import { z } from "zod";

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Parses a duration such as `90s`, `10m`, `12h`, `7d`, `2w` to milliseconds; undefined if invalid. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit!]!;
}

/** The text of a duration as a configuration has it, in its largest unit: `2d`, `90s`; `1500 ms` where none fits. */
export function formatDurationSetting(ms: number): string {
  const fitting = Object.entries(unitMs).findLast(
    ([unit, size]) => unit !== "w" && ms % size === 0,
  );
  if (ms === 0 || fitting === undefined) return ms === 0 ? "0s" : `${ms} ms`;
  return `${ms / fitting[1]}${fitting[0]}`;
}

/** The keys of the configuration that are durations, wherever they are. */
export const durationKeys: readonly string[] = [
  "grace_period",
  "learning",
  "lookback",
  "report_timeout",
  "retention",
  "settle",
  "time_limit",
  "timeout",
  "window",
];

// What lies farther back or ahead is at times that nothing can store.
const longestMs = 365_000 * unitMs["d"]!;

/** A duration in the configuration: text such as `2d` in, milliseconds out. */
export const duration = z.union([z.string(), z.int().min(0)]).transform((value, context) => {
  const ms = typeof value === "number" ? value : parseDuration(value);
  if (ms !== undefined && ms <= longestMs) return ms;
  context.addIssue({
    code: "custom",
    message: `expected a duration such as 90s, 12h or 2d${ms === undefined ? "" : ", at most 365000d"}, got ${JSON.stringify(value)}`,
  });
  return z.NEVER;
});
