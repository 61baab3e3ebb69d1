import { expect, it } from "vitest";
import {
  hasRecordArray,
  holdsRecords,
  isBeside,
  showsRecord,
} from "../../../../pipeline/core/records/arrays.ts";

const record = { time: 1 };

it("a record has a time or a name", () => {
  expect(showsRecord(["id", "time"])).toBe(true);
  expect(showsRecord(["event_name"])).toBe(true);
  for (const keys of [[], ["id"], ["Time", "event"]]) expect(showsRecord(keys)).toBe(false);
});

it("an array holds records if one of its first hundred elements is one", () => {
  const others = (count: number): object[] => Array.from({ length: count }, () => ({ id: 1 }));
  expect(holdsRecords([...others(99), record])).toBe(true);
  expect(holdsRecords([...others(100), record])).toBe(false);
  expect(holdsRecords([null, "time", [record], record])).toBe(true);
  expect(holdsRecords([null, "time", [record]])).toBe(false);
});

it("values beside the records are never searched for records", () => {
  const keys =
    "errors error faults fault failures warnings warning messages links _links facets aggregations aggs included notices hints alerts problems filters sorts columns fields debug";
  for (const key of [...keys.split(" "), "Errors"]) {
    expect([key, isBeside(key)]).toEqual([key, true]);
    expect(hasRecordArray({ [key]: [record] })).toBe(false);
    expect(hasRecordArray({ [key]: { audits: [record] } })).toBe(true);
  }
  expect(isBeside("audits")).toBe(false);
});

it("records are at most four objects below the top of a body", () => {
  const below = (depth: number): object =>
    depth === 0 ? { n: 1, audits: [record] } : { n: 1, a: below(depth - 1) };
  for (let depth = 0; depth <= 4; depth++) expect(hasRecordArray(below(depth))).toBe(true);
  expect(hasRecordArray(below(5))).toBe(false);
  for (const body of [[record], null, "x", { audits: [] }, { audits: [{ id: 1 }] }])
    expect(hasRecordArray(body)).toBe(false);
});
