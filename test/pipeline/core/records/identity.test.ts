import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityFields, type KeysOf, newKeys, unknownNames } from "./keys-of.ts";

// The key is put together in SQL where a record is plain, and with texts from TypeScript where it is not. Both must
// give the same.

const fields = Object.keys(identityFields);
let keys: Awaited<ReturnType<typeof newKeys>>;
let keysOf: KeysOf;
beforeAll(async () => {
  keys = await newKeys();
  keysOf = keys.keysOf;
});
afterAll(() => keys[Symbol.asyncDispose]());

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const escaped = text.map((t) =>
  JSON.stringify(t).replaceAll("/", "\\/").replaceAll("é", "\\u00e9"),
);
const number = fc.oneof(
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((d) => (Number.isInteger(d) ? `${d}` : String(d)).replace("e+", "E")),
  fc.constantFrom(
    "-0",
    "-0.0",
    "1.0",
    "7.00",
    "1.50",
    "1e5",
    "1E400",
    "0.000001",
    "123456789012345678901.5",
  ),
);
const jsonInText = fc.jsonValue({ maxDepth: 2 }).map((v) => JSON.stringify(JSON.stringify(v)));
const odd = fc.constantFrom(
  '""',
  "null",
  "true",
  "false",
  '"TRUE"',
  '"7.0"',
  '"[]"',
  '"{}"',
  '"[1.0,2]"',
  '"[-0]"',
  '"[1e3]"',
  '"{\\"a\\":1}"',
  '"[1,2]"',
  '"{"',
  '"1"',
  '"\\u001f\\u001e\\u001b"',
  '"2026-03-01T00:00:00Z"',
  '"1767225600.25"',
);
const scalar = fc.oneof(escaped, number, jsonInText, odd);
const nested = fc.oneof(scalar, fc.json({ maxDepth: 3 }));

function sample(value: fc.Arbitrary<string>, numRuns: number): string[][] {
  const record = fc.uniqueArray(fc.tuple(fc.constantFrom(...fields, ...unknownNames), value), {
    maxLength: 12,
    minLength: 1,
    selector: ([key]) => key,
  });
  return fc
    .sample(record, { numRuns, seed: 7 })
    .map((members) => members.map(([key, member]) => `${JSON.stringify(key)}:${member}`));
}

const plain = (members: readonly string[]): string => `{${members.join(",")}}`;
// An escaped control character in a member that is in no key sends the whole record through TypeScript.
const walk = (members: readonly string[]): string =>
  plain([...members.filter((one) => !one.startsWith('"shade"')), '"shade":"\\u0001"']);

describe("the key of a record", () => {
  it.each([
    ["scalars", scalar, 3000],
    ["nested values", nested, 1000],
  ] as const)("is equal in SQL and in TypeScript (%s)", async (_, value, runs) => {
    const records = sample(value, runs);
    const bySql = await keysOf(records.map(plain));
    const byTypeScript = await keysOf(records.map(walk));
    expect(records.filter((_record, i) => bySql[i] !== byTypeScript[i])).toEqual([]);
    expect(new Set(bySql).size).toBeGreaterThan(runs / 2);
  });

  it("does not depend on the catalog, and excludes an unknown or later known field", async () => {
    const [bare, one] = ['{"time":1,"job":"a"}', '{"time":1,"job":"a","shade":"red"}'];
    expect(await keysOf([bare])).toEqual(await keysOf([one]));
  });

  it("belongs to its source", async () => {
    const record = ['{"time":1,"id":"a"}'];
    expect(await keysOf(record, { source: "s" })).not.toEqual(
      await keysOf(record, { source: "t" }),
    );
  });
});
