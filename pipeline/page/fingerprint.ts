import { createHash } from "node:crypto";
import { compactJson, digitsOf, numberText, parseKeepingNumbers } from "./canonical.ts";

// The fingerprint says that two records are the same event: it does not depend on the order of keys, on
// null or absent, on a scalar being a number or text, on the page format or on the catalog's version.
// `incoming` in the generated SQL computes the same for records without objects or arrays inside.

const separator = "\u001e";

/** The 128-bit fingerprint, as 32 hex digits, of a record's JSON text; throws SyntaxError when it is none. */
export function fingerprintOf(recordJson: string, baseline: readonly string[]): string {
  const record = parseKeepingNumbers(recordJson) as Record<string, unknown>;
  return createHash("md5").update(canonicalText(record, baseline)).digest("hex");
}

function canonicalText(record: Record<string, unknown>, baseline: readonly string[]): string {
  const front = baseline.map((name) => textOf(record[name])).join(separator);
  const others = Object.keys(record)
    .filter((name) => !baseline.includes(name) && textOf(record[name]) !== "")
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((name) => separator + sized(name) + sized(textOf(record[name])));
  return front + others.join("");
}

function sized(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}

// The separator and its escape never stand bare in a value.
function textOf(value: unknown): string {
  const text = plainText(value);
  return /[\u001b\u001e]/.test(text) ? escaped(text) : text;
}

function escaped(text: string): string {
  return text.replaceAll(/[\u001b\u001e]/g, (c) => `\u001b${c.charCodeAt(0)}`);
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return /^[[{]/.test(value) ? compactIfJson(value) : value;
  const digits = digitsOf(value);
  if (digits !== undefined) return numberText(digits);
  return typeof value === "object" ? compactJson(value) : String(value);
}

// CSV has objects and arrays as text, and services send them so too.
function compactIfJson(text: string): string {
  try {
    return compactJson(parseKeepingNumbers(text));
  } catch {
    return text;
  }
}
