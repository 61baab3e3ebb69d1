import type { Cell, Column, ColumnKind } from "../../../base/rows/row.ts";
import { momentText } from "../../../base/time/text.ts";
import { rawJson } from "../../../core/records/canonical.ts";
import type { TrinoColumn } from "./client.ts";

const numbers = /^(?:tinyint|smallint|integer|bigint|real|double|decimal)\b/;
const times = /^(?:timestamp|date|time)\b/;

/** A column of the engine, as results are written. */
export function columnOf({ name, type }: TrinoColumn): Column {
  return { name, type: type.toUpperCase(), kind: kindOf(type) };
}

function kindOf(type: string): ColumnKind {
  if (numbers.test(type)) return "number";
  if (times.test(type)) return "time";
  return type === "boolean" ? "boolean" : "text";
}

/** A value of the engine in the form that the database's own values have. */
export function cellOf(value: unknown, { type }: TrinoColumn): Cell {
  if (value === null || value === undefined) return null;
  if (type === "bigint" && (typeof value === "number" || typeof value === "bigint"))
    return BigInt(value);
  if (type === "double" || type === "real") return Number(value);
  if (type.startsWith("timestamp") && typeof value === "string") return timeText(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string")
    return value;
  return JSON.stringify(value, exactly);
}

// Whole numbers of 64 bits inside of arrays and rows.
function exactly(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJson(String(value)) : value;
}

function timeText(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?: UTC)?$/.exec(text);
  if (parts === null) return text;
  const [, day, time, fraction = ""] = parts;
  const seconds = BigInt(Date.parse(`${day}T${time}Z`) / 1000);
  return momentText(seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")), 9) ?? text;
}
