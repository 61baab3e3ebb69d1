import fc from "fast-check";
import { expect, test } from "vitest";
import { findRepeatedKey } from "../../../../pipeline/base/home/json-files.ts";

const seed = Number(process.env["KEYS_SEED"] ?? Date.now() % 1_000_000);

test.each([
  ['{"Databases":[],"Databases":[]}', "Databases"],
  ['{"a":{"b":1,"c":2,"b":3}}', "b"],
  ['[{"a":1},{"a":1,"\\u0061":2}]', "a"],
  ['{"a\\"":1,"a\\\\":2,"a\\"":3}', 'a"'],
  ['{"a":"b","b":"a","c":{"a":1,"b":[{"a":"a:{"}]}}', undefined],
  ['{"":0,"":1}', ""],
  ["7", undefined],
])("%s", (json, key) => expect(findRepeatedKey(json)).toBe(key));

test(`no value written by a serializer names a key twice, one with a doubled member does, seed ${seed}`, () => {
  const options = { seed, numRuns: 500 };
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string(), (value, key) => {
      const json = JSON.stringify(value, null, 1);
      expect(findRepeatedKey(json)).toBeUndefined();
      const name = JSON.stringify(key);
      expect(findRepeatedKey(`[{${name}:${json},"x${name.slice(1)}:1,${name}:${json}}]`)).toBe(key);
    }),
    options,
  );
});
