import { printableJson } from "../printable.ts";

/** A value as the JSON document that a verb prints under `--json`: indented, safe to look at in a terminal. */
export function jsonDocument(value: unknown): string {
  return `${printableJson(JSON.stringify(value, null, 2))}\n`;
}
