import { expect, it } from "vitest";
import { codeChanges } from "./code-changes.ts";
import { listLines, type Change } from "./place.ts";
import { queryChanges } from "./query-changes.ts";

const become = (text: string, changes: readonly Change[]): string[] =>
  changes.map((change) => listLines(text, change).to);

it.each([
  ["if (a < b) go();", ["if (a <= b) go();", "if (!(a < b)) go();", "if (a < b) ;"]],
  ["const f = (a: 1): 2 => a + 1;", ["a - 1", "a + 2", "(undefined as never)"]],
  ['const f = "a" + b;', ['const f = "" + b;']],
  ['import { a } from "b"; const c = { "d": true };', ['"d": false']],
  ["class A extends B { constructor() { super(); } }", []],
  ["type A = 1 | true; const a = b as 3;", []],
  ["function f() { return undefined; }", []],
  ["const a = b /* < */ < c;", []],
  ["x.some(y) ?? z;", ["x.every(y) ?? z;", "x.some(y) && z;"]],
])("mutants change what runs in %s", (text, expected) => {
  const found = become(text, codeChanges(text));
  expect(found).toHaveLength(expected.length);
  for (const part of expected) expect(found.join("\n")).toContain(part);
});

it.each([
  ["select a -- b < c\nfrom t", []],
  ["select 'a < b' as \"min\" from t", ["select '' as \"min\" from t"]],
  ["where a between 1 and 2", ["where not a between 1 and 2", "between 2 and 2", "1 and 3"]],
  ["where a is not null", ["where not a is not null", "where a is null"]],
  ["left join t on x = y", ["inner join t on x = y", "left join t on x <> y"]],
  ["select distinct min(a) union all", ["select  min(a)", "distinct max(a)", "min(a) union"]],
  ["select t.min, -1 from t", ["select t.min, -2 from t"]],
  ["a is distinct from b", []],
  ["order by a desc", ["order by a asc"]],
])("mutants change what a database reads in %s", (text, expected) => {
  const found = become(text, queryChanges(text));
  expect(found).toHaveLength(expected.length);
  for (const part of expected) expect(found.join("\n")).toContain(part);
});
