import { parted } from "../../../schemas/generators/key.ts";
import { digitsOf, numberText, parseKeepingNumbers } from "./canonical.ts";

// The key of a record does not change with its spelling (schemas/identity.json has the fields). The database puts
// it together; here stands only what takes a parser: objects, arrays, JSON in text, escaped control characters.

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
