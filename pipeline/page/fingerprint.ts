import { createHash } from "node:crypto";

// The fingerprint says that two records are the same event: it does not depend on the order of keys, on
// null or absent, on a scalar being a number or text, on the page format or on the catalog's version.
// `incoming` in the generated SQL computes the same for records without objects inside.

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

/** A number as it was written, so that big ones keep their digits. */
class NumberText {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

// Short whole numbers read the same either way; the slower reading is for the others.
const needsSource = /\d{16}|\d[.eE]/;

function parseKeepingNumbers(json: string): unknown {
  if (!needsSource.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? new NumberText(context?.source ?? String(value)) : value,
  );
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
  if (typeof value === "string") return value.startsWith("{") ? sortedIfJson(value) : value;
  if (value instanceof NumberText) return value.source;
  if (typeof value === "number") return String(value);
  return typeof value === "object" ? sortedJson(value) : String(value);
}

function sortedIfJson(text: string): string {
  try {
    return sortedJson(parseKeepingNumbers(text));
  } catch {
    return text;
  }
}

function sortedJson(value: unknown): string {
  if (value instanceof NumberText) return value.source;
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join(",")}}`;
}
