import type { Cell, ColumnKind } from "./row.ts";

/**
 * One cell as JSON. Integers and decimals keep every digit as JSON numbers, also beyond 2^53; what
 * JSON has no number for (NaN, Infinity) becomes text.
 */
export function jsonText(cell: Cell, kind: ColumnKind): string {
  if (typeof cell === "string") return kind === "number" ? cell : JSON.stringify(cell);
  if (typeof cell === "number" && !Number.isFinite(cell)) return `"${cell}"`;
  return String(cell);
}

/** A JSON object from names and values that are JSON text already. */
export function jsonObject(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** What a text of JSON holds; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
