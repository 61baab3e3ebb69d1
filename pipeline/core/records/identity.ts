import { parted } from "../../../schemas/generators/key.ts";
import { digitsOf, numberText, parseKeepingNumbers } from "./canonical.ts";
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
 * What a record, parsed with its numbers kept, adds to the text that its key is made of. It is the canonical values of
 * its text fields, then objects and arrays in the others.
 */
export function canonicalTexts(
  record: Readonly<Record<string, unknown>>,
  fields: IdentityFields,
): string {
  const [texts, typed] = partedOnce(fields);
  const values = [
    ...texts.map((name) => canonicalText(record[name])),
    ...typed.map((name) => container(canonicalText(record[name]))),
  ];
  return values.map((value) => `${opens}${escaped(value)}${closes}`).join("");
}

// Thousands of records share the same list of fields, so it is parted once.
const known = new WeakMap<IdentityFields, ReturnType<typeof parted>>();

function partedOnce(fields: IdentityFields): ReturnType<typeof parted> {
  const found = known.get(fields) ?? parted(fields);
  known.set(fields, found);
  return found;
}

// Inside a value the marks, and the escape character itself, are escaped.
function escaped(text: string): string {
  if (text === "") return text;
  return text.replaceAll(/[\u001b\u001e\u001f]/g, (c) => `\u001b${c.charCodeAt(0)}`);
}

function container(text: string): string {
  return /^[[{]/.test(text) ? text : "";
}

/** A value as a key has it; empty for null, nothing and empty containers. */
export function canonicalText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return ofText(value);
  const digits = digitsOf(value);
  if (digits !== undefined) return wholeNumber(numberText(digits));
  return typeof value === "object" ? filled(canonicalJson(value)) : String(value);
}

// CSV holds numbers, objects and arrays as text, and some services send them as text, too.
function ofText(text: string): string {
  if (!/^[[{]/.test(text)) return wholeNumber(text);
  try {
    return filled(canonicalJson(parseKeepingNumbers(text)));
  } catch {
    return text;
  }
}

function filled(json: string): string {
  return json === "[]" || json === "{}" ? "" : json;
}

/** A whole number without a fraction of zero; the generated SQL has the same pattern. */
function wholeNumber(text: string): string {
  return /^-?[0-9]{1,15}\.0$/.test(text) ? text.slice(0, -2) : text;
}

// Keys in order at every depth, numbers as values.
function canonicalJson(value: unknown): string {
  if (typeof value === "number") return wholeNumber(numberText(String(value)));
  const digits = digitsOf(value);
  if (digits !== undefined) return wholeNumber(numberText(digits));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
}

// What names the records of a log whose records have no `id`.

const leastRecords = 20;
const mostRecords = 1000;
const mostDepth = 4;
// Of several candidates, one that is called an id comes first. Times differ by chance, and from read to read.
const idName = /(^|[._-]|[a-z])(id|uuid|guid|ulid|key)$/i;
const timeName = /(time|date|timestamp|_at|At|_ms|_ns)$/;

/**
 * Finds the dotted path of a scalar that the catalog does not know, that each record of a sample has and that is
 * different in each. Undefined where a record has an `id`, where there is no such path, or the sample is too small.
 */
export function findIdPath(records: readonly string[]): string | undefined {
  const sample = records.slice(0, mostRecords).map(scalarsOf);
  const [first] = sample;
  if (first === undefined || sample.length < leastRecords) return undefined;
  if (sample.some((scalars) => scalars === undefined || scalars.has("id"))) return undefined;
  const isUnique = (path: string): boolean => {
    const values = sample.flatMap((scalars) => scalars?.get(path) ?? []);
    return new Set(values).size === sample.length;
  };
  const paths = [...first.keys()].filter((path) => !timeName.test(path) && isUnique(path));
  const rank = (path: string): number => (isIdName(path) ? 0 : 1);
  return paths.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))[0];
}

/** Decides whether a path is called as an id is. */
export function isIdName(path: string): boolean {
  return idName.test(path);
}

function scalarsOf(record: string): ReadonlyMap<string, string> | undefined {
  try {
    const found = new Map<string, string>();
    collect(parseKeepingNumbers(record), [], found);
    return found;
  } catch {
    return undefined;
  }
}

function collect(value: unknown, keys: readonly string[], found: Map<string, string>): void {
  if (!isObject(value) || keys.length === mostDepth) return;
  for (const [key, member] of Object.entries(value)) {
    const isKnown = keys.length === 0 && key !== "id" && Object.hasOwn(catalog.fields, key);
    if (isKnown || member === null || member === "") continue;
    const path = [...keys, key];
    const digits = digitsOf(member) ?? (typeof member === "number" ? String(member) : undefined);
    // A number with a fraction is a measure or a time.
    if (digits !== undefined && /^-?\d+$/.test(digits)) found.set(path.join("."), digits);
    else if (typeof member === "string") found.set(path.join("."), member);
    else if (digits === undefined) collect(member, path, found);
  }
}
