import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityFields, type KeysOf, newKeys } from "./keys-of.ts";

// What may differ between two sendings of one event, and must not make it two; and what must.

let keys: Awaited<ReturnType<typeof newKeys>>;
let keysOf: KeysOf;
let usual: readonly string[];
beforeAll(async () => {
  keys = await newKeys();
  keysOf = keys.keysOf;
  usual = await keysOf(records.map((r) => JSON.stringify(r)));
});
afterAll(() => keys[Symbol.asyncDispose]());

type Fields = Readonly<Record<string, unknown>>;
const names = Object.keys(identityFields);
const seconds = fc.integer({ min: 100_000_000, max: 4_000_000_000 });
const byType = {
  text: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 9 }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.integer(),
  ),
  integer: fc.integer({ min: -999_999_999, max: 999_999_999_999 }),
  number: fc.integer({ min: 0, max: 1e9 }).map((n) => n / 8),
  boolean: fc.boolean(),
  time: seconds,
} as const;
const record = fc
  .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 10 })
  .chain((chosen) =>
    fc.record(
      Object.fromEntries(chosen.map((name) => [name, byType[identityFields[name]!]])) as Record<
        string,
        fc.Arbitrary<unknown>
      >,
    ),
  );
const records = fc.sample(record, { numRuns: 400, seed: 3 }) as Fields[];
const isTime = (name: string): boolean => identityFields[name] === "time";

/** JSON by hand, since a number has only one form in the language's own. */
function formatJson(
  fields: Fields,
  write: (name: string, value: unknown) => string | undefined,
): string {
  const members = Object.entries(fields).map(
    ([name, value]) => `${JSON.stringify(name)}:${write(name, value) ?? JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}

function turnAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnAround);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, turnAround(member)]),
  );
}

const at = (value: unknown): string => new Date(Number(value) * 1000).toISOString();
const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;
const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (isNested(value) && Object.keys(value as object).length === 0);

const forms: Readonly<Record<string, (fields: Fields) => string>> = {
  "time in milliseconds": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v) * 1000}` : undefined)),
  "time as a float": (r) => formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}.0` : undefined)),
  "time with a fraction": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}.125` : undefined)),
  "time in milliseconds as a float": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v) * 1000}.0` : undefined)),
  "time in microseconds": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}999999` : undefined)),
  "time in microseconds as a float": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}000000.0` : undefined)),
  "time in nanoseconds": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}999999999` : undefined)),
  "time in nanoseconds as a float": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `${Number(v)}000000000.0` : undefined)),
  "time in nanoseconds as text": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `"${Number(v)}000000001"` : undefined)),
  "time with an exponent": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? Number(v).toExponential() : undefined)),
  "time in RFC 1123": (r) =>
    formatJson(r, (n, v) =>
      isTime(n) ? `"${new Date(Number(v) * 1000).toUTCString()}"` : undefined,
    ),
  "time in ISO 8601 without marks": (r) =>
    formatJson(r, (n, v) => (isTime(n) ? `"${at(v).replaceAll(/[-:]/g, "")}"` : undefined)),
  "time in ISO 8601": (r) => formatJson(r, (n, v) => (isTime(n) ? `"${at(v)}"` : undefined)),
  "time with an offset": (r) =>
    formatJson(r, (n, v) =>
      isTime(n) ? `"${at(Number(v) + 19_800).slice(0, 19)}+05:30"` : undefined,
    ),
  "time as text": (r) => formatJson(r, (n, v) => (isTime(n) ? `"${Number(v)}"` : undefined)),
  "whole numbers with a fraction": (r) =>
    formatJson(r, (_, v) => (Number.isSafeInteger(v) ? `${Number(v)}.0` : undefined)),
  "numbers as text": (r) => formatJson(r, (_, v) => (typeof v === "number" ? `"${v}"` : undefined)),
  "booleans as text": (r) =>
    formatJson(r, (_, v) => (typeof v === "boolean" ? `"${String(v)}"` : undefined)),
  "booleans as text in capitals": (r) =>
    formatJson(r, (n, v) =>
      identityFields[n] === "boolean" ? `"${String(v).toUpperCase()}"` : undefined,
    ),
  "keys in another order": (r) => JSON.stringify(turnAround(r)),
  "pretty, as one line of CSV has it": (r) =>
    formatJson(r, (_, v) =>
      isNested(v) ? JSON.stringify(JSON.stringify(turnAround(v), null, 1)) : undefined,
    ),
  "an unknown field more, false": (r) => JSON.stringify({ ...r, shade: false }),
  "an unknown field more, nested": (r) => JSON.stringify({ größe: { a: [1] }, ...r }),
  "what is empty as null": (r) => formatJson(r, (_, v) => (isEmpty(v) ? "null" : undefined)),
  "what is empty as an array": (r) => formatJson(r, (_, v) => (isEmpty(v) ? "[]" : undefined)),
  "what is empty as an object": (r) => formatJson(r, (_, v) => (isEmpty(v) ? "{}" : undefined)),
  "what is empty left out": (r) =>
    JSON.stringify(Object.fromEntries(Object.entries(r).filter(([, v]) => !isEmpty(v)))),
  "what is absent as an empty array": (r) =>
    JSON.stringify({ ...Object.fromEntries(names.map((n) => [n, []])), ...r }),
  "what is absent as null": (r) =>
    JSON.stringify({ ...Object.fromEntries(names.map((n) => [n, null])), ...r }),
  "escapes in place of characters": (r) =>
    JSON.stringify(r).replaceAll(
      /[^\x00-\x7f]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
};

describe("the key of an event does not change with", () => {
  it.each(Object.keys(forms))("%s", async (form) => {
    const texts = records.map(forms[form]!);
    const found = await keysOf(texts.filter((text) => text !== "{}"));
    const expected = usual.filter((_, i) => texts[i] !== "{}");
    const usable = records.filter((_, i) => texts[i] !== "{}");
    const wrong = usable.filter((_, i) => found[i] !== expected[i]);
    expect(wrong).toEqual([]);
  });
});

describe("the key of an event distinguishes", () => {
  it.each([
    ['{"time":1}', '{"time":2}'],
    ['{"user_id":1}', '{"account_id":1}'],
    ['{"event_name":"a\\u001eb"}', '{"event_name":"a","event_result":"b"}'],
    ['{"event_name":"a\\u001e\\u001fb"}', '{"event_name":"a","event_result":"b"}'],
    ['{"old_value":"{\\"a\\":1}"}', '{"old_value":"{\\"a\\":\\"1\\"}"}'],
    ['{"old_value":[1,2]}', '{"old_value":[2,1]}'],
    ['{"old_value":"9007199254740993"}', '{"old_value":"9007199254740992"}'],
    ['{"resource_id":9007199254740993}', '{"resource_id":9007199254740992}'],
    ['{"user_id":"x"}', '{"user_id":"y"}'],
    ['{"user_id":"x"}', '{"user_id":null,"job":"a"}'],
    ['{"is_scheduled":true}', '{"is_scheduled":false}'],
    ['{"task_duration":0.1}', '{"task_duration":0.10000000000000002}'],
    ['{"id":"a"}', '{"id":"A"}'],
    ['{"old_value":false}', '{"old_value":null}'],
    ['{"new_value":[[]]}', '{"new_value":[]}'],
  ])("%s and %s", async (a, b) => {
    const [x, y] = await keysOf([a, b]);
    expect(x).not.toBe(y);
  });
});
