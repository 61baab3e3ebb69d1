import { UsageError } from "../../base/errors.ts";
import type { ParamType, ParamValue } from "../../base/sql/question.ts";
import { momentText, dayText } from "../../base/time/text.ts";
import { parseMoment } from "../../base/time/times.ts";

type Reader = {
  readonly expected: string;
  /** The value of the text, or undefined where it is none of the type. */
  readonly read: (text: string, nowMs: number) => ParamValue["value"] | undefined;
};

const dayMs = 86_400_000;
const maxInt64 = 2n ** 63n;

const readers: Readonly<Record<ParamType, Reader>> = {
  timestamp: { expected: "a time", read: parseMoment },
  date: {
    expected: "a date",
    read: (text, nowMs) => Math.floor(parseMoment(text, nowMs) / dayMs),
  },
  text: { expected: "text", read: (text) => text },
  integer: { expected: "a whole number of 64 bits", read: integer },
  number: { expected: "a number", read: decimal },
  boolean: {
    expected: "true or false",
    read: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  },
};

/** What the types are called in SQL. */
export const sqlTypes: Readonly<Record<ParamType, string>> = {
  timestamp: "timestamp",
  date: "date",
  text: "varchar",
  integer: "bigint",
  number: "double",
  boolean: "boolean",
};

/** The text as a value of the type; throws UsageError saying what was expected. */
export function readValue(type: ParamType, text: string, nowMs: number): ParamValue {
  const { read, expected } = readers[type];
  const value = read(text, nowMs);
  if (value === undefined) throw new UsageError(`${JSON.stringify(text)} is not ${expected}`);
  return { type, value };
}

/** A value as people read it, times as `2026-01-31T10:20:30Z`; empty for null. */
export function valueText({ type, value }: ParamValue): string {
  if (value === null) return "";
  if (type === "timestamp") return momentText(BigInt(value), 3) ?? "";
  if (type === "date") return dayText(Number(value) * dayMs);
  return String(value);
}

/** Milliseconds since the epoch of a time or a date; undefined for anything else and for null. */
export function momentOf({ type, value }: ParamValue): number | undefined {
  if (typeof value !== "number") return undefined;
  if (type === "timestamp") return value;
  return type === "date" ? value * dayMs : undefined;
}

function integer(text: string): string | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value >= -maxInt64 && value < maxInt64 ? String(value) : undefined;
}

function decimal(text: string): number | undefined {
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
