import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseKeepingNumbers } from "../../../../pipeline/core/records/canonical.ts";
import {
  compareSets,
  listGrants,
  isSameSet,
} from "../../../../pipeline/core/records/permissions.ts";
import type { PermissionSet } from "../../../../schemas/policies.ts";

const empty = { objectId: null, objectName: null, details: null };
const databases = { ...empty, kind: "Databases" };

describe("a permission set taken apart", () => {
  it("has each permission once, Databases first, ids in numeric order", () => {
    const set = {
      Agents: [{ operation: "run", id: "7", name: "daily" }],
      Databases: [
        { operation: "query", ids: "10,9,10" },
        { operation: "manage" },
        { operation: "query", ids: "9" },
      ],
    };
    expect(listGrants(set)).toEqual([
      { ...databases, operation: "manage" },
      { ...databases, operation: "query", objectId: "9" },
      { ...databases, operation: "query", objectId: "10" },
      { ...empty, kind: "Agents", operation: "run", objectId: "7", objectName: "daily" },
    ]);
  });

  it("keeps values of another form as details, with all digits", () => {
    const text = `{"Databases":[{"operation":"query","ids":"","b":9007199254740993,"a":[1]}],
      "Jobs":["all",{"operation":3,"name":null}],"version":1.50}`;
    const found = listGrants(parseKeepingNumbers(text) as PermissionSet);
    expect(found.map(({ kind, operation, details }) => [kind, operation, details])).toEqual([
      ["Databases", "query", '{"a":[1],"b":9007199254740993,"ids":""}'],
      ["Jobs", null, '"all"'],
      ["Jobs", null, '{"name":null,"operation":3}'],
    ]);
  });

  it.each(["1.50", "123456789012345678901", '"today"', "null", "true"])(
    "omits what is not a permission: %s beside the arrays",
    (value) => {
      const text = `{"updated_at":${value},"Databases":[{"operation":"manage","ids":null}]}`;
      const found = listGrants(parseKeepingNumbers(text) as PermissionSet);
      expect(found.map(({ kind, details }) => [kind, details])).toEqual([["Databases", null]]);
    },
  );

  it.each(['"5,6"', '" 5 , 6 "', '["5",6]', "[5,[6]]", '"5,,6"'])("reads ids as %s", (ids) => {
    const set = JSON.parse(`{"Databases":[{"operation":"edit","ids":${ids}}]}`) as PermissionSet;
    expect(listGrants(set).map((grant) => grant.objectId)).toEqual(["5", "6"]);
  });

  it("reads a single id of any length by its digits", () => {
    const set = parseKeepingNumbers('{"Databases":[{"operation":"edit","ids":90071992547409931}]}');
    expect(listGrants(set as PermissionSet)[0]?.objectId).toBe("90071992547409931");
  });
});

describe("comparing sets", () => {
  const ids = fc.uniqueArray(fc.nat(30).map(String), { minLength: 1, maxLength: 5 });
  const operation = fc.constantFrom("import", "query", "edit");
  const set = fc.array(fc.record({ operation, ids }), { maxLength: 4 });
  const asSet = (entries: { operation: string; ids: string[] }[]): PermissionSet => ({
    Databases: entries.map((entry) => ({ ...entry, ids: entry.ids.join(",") })),
  });

  it("ignores the order of entries and ids", () => {
    fc.assert(
      fc.property(set, (entries) => {
        const turned = entries.toReversed().map((e) => ({ ...e, ids: e.ids.toReversed() }));
        expect(isSameSet(asSet(entries), asSet(turned))).toBe(true);
      }),
      { seed: 4 },
    );
  });

  it("shows what is added, removed and unchanged: together both sets", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const { added, removed, kept } = compareSets(asSet(a), asSet(b));
        const text = (grants: readonly unknown[]): string[] =>
          grants.map((g) => JSON.stringify(g)).sort();
        expect(text([...removed, ...kept])).toEqual(text(listGrants(asSet(a))));
        expect(text([...added, ...kept])).toEqual(text(listGrants(asSet(b))));
      }),
      { seed: 5 },
    );
  });

  it("distinguishes keys beside Databases, and an entry without ids from one with ids", () => {
    const base = { Databases: [{ operation: "query", ids: "1" }] };
    expect(isSameSet(base, { ...base, Jobs: [], version: 2 })).toBe(true);
    for (const other of [
      { ...base, Jobs: [{ operation: "run" }] },
      { ...base, Jobs: { operation: "run" } },
      { Databases: [{ operation: "query" }] },
      { Databases: [{ operation: "query", ids: "1", until: "2027" }] },
    ])
      expect(isSameSet(base, other)).toBe(false);
  });
});
