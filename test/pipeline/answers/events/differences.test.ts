import fc from "fast-check";
import { expect, it } from "vitest";
import { listDifferences } from "../../../../pipeline/answers/events/differences.ts";

it.each([
  ["equal texts", "a", "a", []],
  ["plain texts", "a", "b", [["", "a", "b"]]],
  ["a new value alone", null, "b", [["", null, "b"]]],
  ["members", '{"a":1,"b":"x"}', '{"a":2,"b":"x"}', [["a", "1", "2"]]],
  ["members in another order", '{"a":1,"b":2}', '{"b":2,"a":1}', []],
  ["nested members", '{"a":{"b":{"c":null}}}', '{"a":{"b":{}}}', [["a.b.c", "null", null]]],
  [
    "elements in any order",
    "[1,2,2]",
    "[2,3,1]",
    [
      ["", "2", null],
      ["", null, "3"],
    ],
  ],
  ["objects in lists", '[{"a":1,"b":2}]', '[{"b":2,"a":1},{"c":3}]', [["", null, '{"c":3}']]],
  ["an object and a text", '{"a":1}', "plain", [["", '{"a":1}', "plain"]]],
  ["an object and a list", '{"a":1}', "[1]", [["", '{"a":1}', "[1]"]]],
  ["an object alone", null, '{"a":1}', [["a", null, "1"]]],
  [
    "a member called like one of every object",
    "{}",
    '{"constructor":1}',
    [["constructor", null, "1"]],
  ],
] as const)("lists differences of %s", (_what, before, after, expected) => {
  const found = listDifferences(before, after).map((each) => [each.place, each.before, each.after]);
  expect(found).toEqual(expected);
});

it("takes values of a hundred thousand elements or levels", () => {
  const numbers = Array.from({ length: 100_000 }, (_, i) => i);
  const reversed = JSON.stringify(numbers.toReversed().slice(1));
  expect(listDifferences(JSON.stringify(numbers), reversed)).toEqual([
    { place: "", before: "99999", after: null },
  ]);
  const deep = (leaf: string): string => `${"[".repeat(100_000)}${leaf}${"]".repeat(100_000)}`;
  expect(listDifferences(deep("1"), deep("2"))).toHaveLength(1);
});

it("finds none between equal values, and the same in both directions", () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (one, other) => {
      expect(listDifferences(one, one)).toEqual([]);
      const there = listDifferences(one, other).map(({ place, before, after }) =>
        [place, before, after].join("|"),
      );
      const back = listDifferences(other, one).map(({ place, before, after }) =>
        [place, after, before].join("|"),
      );
      expect(there.toSorted()).toEqual(back.toSorted());
    }),
  );
});
