import { DuckDBMapValue } from "@duckdb/node-api";
import { expect, it } from "vitest";
import type { LakeColumn } from "../../../../pipeline/adapters/lake/relation.ts";
import { buildStats } from "../../../../pipeline/adapters/lake/write.ts";

const buildMap = (facts: Readonly<Record<string, unknown>>): DuckDBMapValue =>
  new DuckDBMapValue(
    Object.entries(facts).map(([key, value]) => ({ key, value: value as string })),
  );

/** The statistics of one column. */
function statsFor(
  type: string,
  facts: Readonly<Record<string, string>>,
  name = "column",
): Record<string, unknown> {
  const column = { name, type } as unknown as LakeColumn;
  const { numRecords, minValues, maxValues, nullCount } = JSON.parse(
    buildStats([column], 7, buildMap({ [`"${name}"`]: buildMap(facts) })),
  ) as Record<string, Record<string, unknown>>;
  expect(numRecords).toBe(7);
  return { min: minValues![name], max: maxValues![name], nulls: nullCount![name] };
}

it.each<[type: string, min: string, max: string, expected: readonly unknown[]]>([
  ["date", "2026-03-01", "2026-03-02", ["2026-03-01", "2026-03-02"]],
  ["date", "-0001-03-01", "2026-03-02", []],
  ["long", "-5", "9007199254740991", [-5, 9007199254740991]],
  ["long", "-5", "9007199254740992", []],
  ["integer", "1", "2", [1, 2]],
  ["integer", "1.5", "2", []],
  [
    "timestamp_ntz",
    "2026-03-01 00:00:00",
    "2026-03-01 00:00:01.5",
    ["00:00:00.000", "00:00:01.500"],
  ],
  // For a time between two milliseconds the log has the one below as the least, the one above as the greatest.
  [
    "timestamp_ntz",
    "2026-03-01 00:00:00.123456",
    "2026-03-01 00:00:00.123456",
    ["00:00:00.123", "00:00:00.124"],
  ],
  [
    "timestamp_ntz",
    "2026-03-01 00:00:00.123000",
    "2026-03-01 00:00:00.123000",
    ["00:00:00.123", "00:00:00.123"],
  ],
  ["timestamp_ntz", "infinity", "2026-03-01 00:00:00", []],
  ["string", "a", "b", []],
  ["double", "1", "2", []],
])("statistics of a %s range from %s to %s", (type, min, max, expected) => {
  const { min: least, max: greatest, nulls } = statsFor(type, { min, max, null_count: "3" });
  const at = (value: unknown): unknown =>
    type === "timestamp_ntz" ? String(value).replace("2026-03-01T", "") : value;
  expect([least, greatest].flatMap((value) => (value === undefined ? [] : [at(value)]))).toEqual(
    expected,
  );
  expect(nulls).toBe(3);
});

it("only the column source has bounds for texts, and one bound alone is dropped", () => {
  const facts = { min: "a", max: "b" };
  expect(statsFor("string", facts, "source")).toEqual({ min: "a", max: "b", nulls: undefined });
  expect(statsFor("long", { min: "1" })).toEqual({
    min: undefined,
    max: undefined,
    nulls: undefined,
  });
  expect(statsFor("long", { max: "1" })).toEqual({
    min: undefined,
    max: undefined,
    nulls: undefined,
  });
});

it("a file without statistics has only its number of rows", () => {
  const columns = [{ name: "a", type: "long" }] as unknown as LakeColumn[];
  const none = '{"numRecords":3,"minValues":{},"maxValues":{},"nullCount":{}}';
  expect(buildStats(columns, 3, undefined)).toBe(none);
  expect(buildStats(columns, 3, buildMap({ '"a"': "no map" }))).toBe(none);
  expect(buildStats(columns, 3, buildMap({ '"other"': buildMap({ null_count: "1" }) }))).toBe(none);
});
