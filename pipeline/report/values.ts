import {
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  DuckDBDateValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
import { UsageError } from "../errors.ts";
import { parseMoment } from "../times.ts";
import type { Bound } from "./run.ts";

type Reader = {
  readonly bindAs: DuckDBType;
  readonly expected: string;
  /** The value of the text, or undefined where it is none of the type. */
  readonly read: (text: string, nowMs: number) => DuckDBValue | undefined;
};

const dayMs = 86_400_000;
const maxInt64 = 2n ** 63n;

const readers = {
  timestamp: {
    bindAs: TIMESTAMP,
    expected: "a time",
    read: (text, nowMs) => new DuckDBTimestampValue(BigInt(parseMoment(text, nowMs)) * 1000n),
  },
  date: {
    bindAs: DATE,
    expected: "a date",
    read: (text, nowMs) => new DuckDBDateValue(Math.floor(parseMoment(text, nowMs) / dayMs)),
  },
  text: { bindAs: VARCHAR, expected: "text", read: (text) => text },
  integer: { bindAs: BIGINT, expected: "a whole number of 64 bits", read: integer },
  number: { bindAs: DOUBLE, expected: "a number", read: decimal },
  boolean: {
    bindAs: BOOLEAN,
    expected: "true or false",
    read: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  },
} satisfies Record<string, Reader>;

export type ParamType = keyof typeof readers;

export const paramTypes = Object.keys(readers) as ParamType[];

/** The text as a value of the type; throws UsageError saying what was expected. */
export function readValue(type: ParamType, text: string, nowMs: number): Bound {
  const reader: Reader = readers[type];
  const value = reader.read(text, nowMs);
  if (value === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not ${reader.expected}`);
  return { type: reader.bindAs, value };
}

/** Null of the type. */
export function nullValue(type: ParamType): Bound {
  return { type: readers[type].bindAs, value: null };
}

function integer(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value >= -maxInt64 && value < maxInt64 ? value : undefined;
}

function decimal(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
