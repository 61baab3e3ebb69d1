import { DuckDBMapValue } from "@duckdb/node-api";
import { fromTimestamp } from "../../base/time/text.ts";
import type { LakeColumn } from "./relation.ts";

type Bounds = Record<string, string | number>;

/**
 * The statistics of a file for the log. They are its rows and, of each column that ranges are asked of, the least and
 * greatest value and the nulls. What cannot be said exactly is left out, which costs readers time and no rows.
 */
export function statsOf(
  columns: readonly LakeColumn[],
  numRecords: number,
  statistics: DuckDBMapValue | undefined,
): string {
  const minValues: Bounds = {};
  const maxValues: Bounds = {};
  const nullCount: Record<string, number> = {};
  const found = new Map(statistics?.entries.map(({ key, value }) => [String(key), value]));
  for (const { name, type } of columns) {
    const value = found.get(`"${name}"`);
    if (!(value instanceof DuckDBMapValue)) continue;
    const facts = new Map(value.entries.map((entry) => [String(entry.key), String(entry.value)]));
    if (facts.has("null_count")) nullCount[name] = Number(facts.get("null_count"));
    const [min, max] = [
      boundOf(type, name, facts.get("min")),
      boundOf(type, name, facts.get("max"), 1),
    ];
    if (min === undefined || max === undefined) continue;
    minValues[name] = min;
    maxValues[name] = max;
  }
  return JSON.stringify({ numRecords, minValues, maxValues, nullCount });
}

// `up` is how far the greatest value of a time is moved, since the log tells milliseconds alone.
function boundOf(
  type: string,
  name: string,
  text: string | undefined,
  up = 0,
): string | number | undefined {
  if (text === undefined) return undefined;
  if (type === "date") return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
  if (type === "timestamp_ntz") return momentOf(text, up);
  if (type === "long" || type === "integer") return integerOf(text);
  return type === "string" && name === "source" ? text : undefined;
}

function momentOf(text: string, up: number): string | undefined {
  const ms = fromTimestamp(text);
  if (Number.isNaN(ms)) return undefined;
  const isTruncated = /\.\d{3}\d*[1-9]/.test(text);
  return new Date(ms + (isTruncated ? up : 0)).toISOString().replace("Z", "");
}

function integerOf(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
