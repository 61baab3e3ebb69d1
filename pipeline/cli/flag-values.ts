import { InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration.ts";

// Parsers of flag values; commander reports what does not fit, with the flag.

/** The values of a flag that may be repeated, in their order. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** The flag that gives a value to a parameter of a report; may be repeated. */
export function newParamOption(): Option {
  return new Option("--param <name=value>", "report parameter; repeatable")
    .argParser(collect)
    .default([], "none");
}

/** Reads a whole number from 1, of so many digits at most. */
export function newCountParser(
  digits: number,
  expected = "a whole number from 1",
): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** Reads a whole number from 1 to 9999. */
export const smallCount = newCountParser(4, "a whole number from 1 to 9999");

type Bounds = { readonly leastMs?: number; readonly mostMs?: number };

/** Reads a duration within bounds, as milliseconds. */
export function newDurationParser(
  { leastMs = 1, mostMs = Infinity }: Bounds,
  expected: string,
): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= leastMs && ms <= mostMs) return ms;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** Reads the time that a question may take. */
export const questionTime = newDurationParser(
  { mostMs: 3_600_000 },
  "a duration up to 1h, such as 30s or 5m",
);
