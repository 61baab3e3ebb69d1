import type { Random } from "../../../fixtures/random.ts";
import type { Value } from "./values.ts";

const times = [
  "seconds",
  "float",
  "exponent",
  "millis",
  "micros",
  "micros_float",
  "nanos",
  "nanos_float",
  "nanos_text",
  "seconds_text",
  "zulu",
  "offset",
  "fraction",
  "bare",
  "rfc",
  "leap",
] as const;

/** How a service writes what it holds. */
export type Spelling = {
  readonly time: (typeof times)[number];
  readonly whole: "plain" | "point_zero" | "text" | "point_zero_text" | "exponent";
  readonly truth: "plain" | "text";
  readonly empty: "absent" | "null" | "text" | "list" | "object";
  readonly word: "text" | "number";
  readonly json: "text" | "other_order" | "spaced" | "real";
  readonly letters: "raw" | "escaped";
  readonly keys: "as_listed" | "reversed" | "by_name";
  readonly shape: "array" | "envelope" | "ndjson" | "csv";
  readonly pageSize: number;
  /** A field that the catalog does not know, the same in every record. */
  readonly more: unknown;
};

const plain: Spelling = {
  time: "seconds",
  whole: "plain",
  truth: "plain",
  empty: "absent",
  word: "text",
  json: "text",
  letters: "raw",
  keys: "as_listed",
  shape: "array",
  pageSize: 100,
  more: undefined,
};

type Choices = { readonly [name in keyof Spelling]: readonly Spelling[name][] };

const choices: Choices = {
  time: times,
  whole: ["plain", "point_zero", "text", "point_zero_text", "exponent"],
  truth: ["plain", "text"],
  empty: ["absent", "null", "text", "list", "object"],
  word: ["text", "number"],
  json: ["text", "other_order", "spaced", "real"],
  letters: ["raw", "escaped"],
  keys: ["as_listed", "reversed", "by_name"],
  shape: ["array", "envelope", "ndjson", "csv"],
  pageSize: [100, 1, 3, 7],
  more: [undefined, false, 0, "", "x", null, [], {}, { deep: [1, { er: false }] }],
};

/** A spelling, and another that differs from it in one to three ways. */
export function twoSpellings(random: Random): [Spelling, Spelling] {
  const first = random.chance(0.5) ? plain : varied(random, plain, random.int(1, 6));
  return [first, varied(random, first, random.int(1, 3))];
}

function varied(random: Random, from: Spelling, ways: number): Spelling {
  const names = Object.keys(choices) as (keyof Spelling)[];
  const changed = Array.from({ length: ways }, () => random.pick(names));
  return changed.reduce<Spelling>((spelling, name) => {
    const others = choices[name].filter((choice) => choice !== spelling[name]);
    return { ...spelling, [name]: random.pick<unknown>(others) } as Spelling;
  }, from);
}

/** In which ways two spellings differ, for example "time zulu as millis". */
export function getDifference(one: Spelling, other: Spelling): string {
  const names = Object.keys(choices) as (keyof Spelling)[];
  return names
    .filter((name) => one[name] !== other[name])
    .map((name) => `${name} ${formatText(one[name])} as ${formatText(other[name])}`)
    .join(", ");
}

function formatText(choice: unknown): string {
  return typeof choice === "string" && choice !== ""
    ? choice
    : (JSON.stringify(choice) ?? "absent");
}

/** A value as JSON; undefined if the field is omitted. */
export function jsonText(value: Value, spelling: Spelling): string | undefined {
  switch (value.is) {
    case "nothing":
      return { absent: undefined, null: "null", text: '""', list: "[]", object: "{}" }[
        spelling.empty
      ];
    case "whole":
      return wholeText(value.digits, spelling.whole);
    case "number":
      return numberText(value.value, spelling.whole);
    case "truth":
      return spelling.truth === "text" ? `"${value.value}"` : String(value.value);
    case "time":
      return timeText(value.ms, spelling.time);
    case "word":
      return spelling.word === "number" ? value.digits : `"${value.digits}"`;
    case "text":
      return quote(value.text, spelling);
    case "json":
      if (spelling.json === "real") return JSON.stringify(value.value);
      return quote(structureText(value.value, spelling.json), spelling);
  }
}

/** A value as a cell of CSV, before quotes. */
export function cellText(value: Value, spelling: Spelling): string {
  if (value.is === "nothing") return "";
  const json = jsonText(value, { ...spelling, letters: "raw" })!;
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** A text as JSON, its letters beyond ASCII as they are or escaped. */
export function quote(text: string, { letters }: Spelling): string {
  const json = JSON.stringify(text);
  if (letters === "raw") return json;
  const escaped = json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped.replaceAll("/", "\\/");
}

function wholeText(digits: string, how: Spelling["whole"]): string {
  // Further digits would be lost: such numbers are never written with a point.
  const isLong = digits.length > 15;
  switch (how) {
    case "plain":
      return digits;
    case "text":
      return `"${digits}"`;
    case "point_zero":
      return isLong ? digits : `${digits}.0`;
    case "point_zero_text":
      return isLong ? `"${digits}"` : `"${digits}.0"`;
    case "exponent":
      return isLong ? digits : `${digits}e0`;
  }
}

function numberText(value: number, how: Spelling["whole"]): string {
  if (Number.isInteger(value)) return wholeText(String(value), how);
  if (how === "exponent") return value.toExponential();
  return how === "text" || how === "point_zero_text" ? `"${value}"` : String(value);
}

function timeText(ms: number, how: Spelling["time"]): string {
  const second = Math.floor(ms / 1000);
  const iso = new Date(second * 1000).toISOString();
  switch (how) {
    case "seconds":
      return String(second);
    case "float":
      return (ms / 1000).toFixed(3);
    case "millis":
      return String(ms);
    case "exponent":
      return second.toExponential();
    case "micros":
      return `${ms}999`;
    case "micros_float":
      return `${ms}000.0`;
    case "nanos":
      return `${ms}999999`;
    case "nanos_float":
      return `${second}000000000.0`;
    case "nanos_text":
      return `"${ms}000001"`;
    case "bare":
      return `"${iso.replaceAll(/[-:]/g, "").replace(".000Z", "Z")}"`;
    case "rfc":
      return `"${new Date(second * 1000).toUTCString()}"`;
    case "leap":
      return `"${leapText(second)}"`;
    case "seconds_text":
      return `"${second}"`;
    case "zulu":
      return `"${iso.replace(".000Z", "Z")}"`;
    case "offset":
      return `"${new Date((second + 19_800) * 1000).toISOString().replace(".000Z", "+05:30")}"`;
    case "fraction":
      return `"${new Date(ms).toISOString()}"`;
  }
}

// A second that begins a minute may be called the leap second of the minute before.
function leapText(second: number): string {
  const at = (of: number): string => new Date(of * 1000).toISOString().slice(0, 19);
  return second % 60 === 0 ? `${at(second - 1).slice(0, 17)}60Z` : `${at(second)}Z`;
}

function structureText(value: unknown, how: Spelling["json"]): string {
  const ordered = how === "other_order" ? reordered(value) : value;
  return JSON.stringify(ordered, undefined, how === "spaced" ? 2 : 0);
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, reordered(inner)] as const)
      .reverse(),
  );
}
