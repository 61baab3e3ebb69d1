import { splitFields } from "../../../schemas/generators/key.ts";
import { readDigits, formatNumber, parseKeepingNumbers } from "./canonical.ts";
import { catalog } from "../../../schemas/generated/catalog.ts";
import { isObject } from "../../../schemas/object.ts";

// The key of a record does not change with its spelling (schemas/identity.json has the fields). The database builds it;
// this file does what needs a parser: objects, arrays, JSON in text, escaped control characters.

/** The fields in the key of a record, each with the type that its value is read as. */
export type IdentityFields = Readonly<Record<string, string>>;

// These two marks enclose every value, so that one value can never look like two.
const opens = "\u001f";
const closes = "\u001e";

/**
 * Returns what a parsed record, with its numbers as written, adds to the text of its key: the canonical values of its
 * text fields, then objects and arrays in other fields.
 */
export function writeCanonicalTexts(
  record: Readonly<Record<string, unknown>>,
  fields: IdentityFields,
): string {
  const [texts, typed] = splitFieldsOnce(fields);
  const values = [
    ...texts.map((name) => writeCanonicalText(record[name])),
    ...typed.map((name) => writeContainer(writeCanonicalText(record[name]))),
  ];
  return values.map((value) => `${opens}${escapeText(value)}${closes}`).join("");
}

// Thousands of records share the same list of fields, so it is parted once.
const known = new WeakMap<IdentityFields, ReturnType<typeof splitFields>>();

function splitFieldsOnce(fields: IdentityFields): ReturnType<typeof splitFields> {
  const found = known.get(fields) ?? splitFields(fields);
  known.set(fields, found);
  return found;
}

// Inside a value the marks, and the escape character itself, are escaped.
function escapeText(text: string): string {
  if (text === "") return text;
  return text.replaceAll(/[\u001b\u001e\u001f]/g, (c) => `\u001b${c.charCodeAt(0)}`);
}

function writeContainer(text: string): string {
  return /^[[{]/.test(text) ? text : "";
}

/** A value as a key has it; empty for null, nothing and empty containers. */
export function writeCanonicalText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return canonicalizeText(value);
  const digits = readDigits(value);
  if (digits !== undefined) return canonicalizeInteger(formatNumber(digits));
  return typeof value === "object" ? fillJson(writeCanonicalJson(value)) : String(value);
}

// CSV holds numbers, objects and arrays as text, and some services send them as text, too.
function canonicalizeText(text: string): string {
  if (!/^[[{]/.test(text)) return canonicalizeInteger(text);
  try {
    return fillJson(writeCanonicalJson(parseKeepingNumbers(text)));
  } catch {
    return text;
  }
}

function fillJson(json: string): string {
  return json === "[]" || json === "{}" ? "" : json;
}

/** A whole number without a fraction of zero; the generated SQL has the same pattern. */
function canonicalizeInteger(text: string): string {
  return /^-?[0-9]{1,15}\.0$/.test(text) ? text.slice(0, -2) : text;
}

// Keys in order at every depth, numbers as values.
function writeCanonicalJson(value: unknown): string {
  if (typeof value === "number") return canonicalizeInteger(formatNumber(String(value)));
  const digits = readDigits(value);
  if (digits !== undefined) return canonicalizeInteger(formatNumber(digits));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeCanonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeCanonicalJson(member)}`).join(",")}}`;
}

// What names the records of a log whose records have no `id`.

const leastRecords = 20;
const mostRecords = 1000;
const mostDepth = 4;
// Names of an id come first: times differ by chance, and from read to read.
const idName = /(^|[._-]|[a-z])(id|uuid|guid|ulid|key)$/i;
const timeName = /(time|date|timestamp|_at|At|_ms|_ns)$/;

/**
 * Finds the dotted path of an unknown scalar that all records of a sample have, with different values. Undefined if a
 * record has an `id`, no such path exists, or the sample is too small.
 */
export function findIdPath(records: readonly string[]): string | undefined {
  const sample = records.slice(0, mostRecords).map(listScalars);
  const [first] = sample;
  if (first === undefined || sample.length < leastRecords) return undefined;
  if (sample.some((scalars) => scalars === undefined || scalars.has("id"))) return undefined;
  const isUnique = (path: string): boolean => {
    const values = sample.flatMap((scalars) => scalars?.get(path) ?? []);
    return new Set(values).size === sample.length;
  };
  const paths = [...first.keys()].filter((path) => !timeName.test(path) && isUnique(path));
  const rankPath = (path: string): number => (isIdName(path) ? 0 : 1);
  return paths.sort((a, b) => rankPath(a) - rankPath(b) || (a < b ? -1 : 1))[0];
}

export function isIdName(path: string): boolean {
  return idName.test(path);
}

function listScalars(record: string): ReadonlyMap<string, string> | undefined {
  try {
    const found = new Map<string, string>();
    collectScalars(parseKeepingNumbers(record), [], found);
    return found;
  } catch {
    return undefined;
  }
}

function collectScalars(value: unknown, keys: readonly string[], found: Map<string, string>): void {
  if (!isObject(value) || keys.length === mostDepth) return;
  for (const [key, member] of Object.entries(value)) {
    const isKnown = keys.length === 0 && key !== "id" && Object.hasOwn(catalog.fields, key);
    if (isKnown || member === null || member === "") continue;
    const path = [...keys, key];
    const digits = readDigits(member) ?? (typeof member === "number" ? String(member) : undefined);
    // A number with a fraction is a measure or a time.
    if (digits !== undefined && /^-?\d+$/.test(digits)) found.set(path.join("."), digits);
    else if (typeof member === "string") found.set(path.join("."), member);
    else if (digits === undefined) collectScalars(member, path, found);
  }
}
