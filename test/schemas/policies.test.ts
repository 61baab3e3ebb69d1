import { describe, expect, it } from "vitest";
import {
  databaseOperations,
  documentedSet,
  landedSet,
  policyId,
  readableSet,
  sendableSet,
} from "../../schemas/policies.ts";

// Seed 000, Resources and their fields: what may be sent as it is, what needs to be asked for, what never goes.

const query = { operation: "query", ids: "1" };

/** The first complaint about a set that is to be sent; undefined where there is none. */
function complaint(set: unknown, isLoose = false): string | undefined {
  return (isLoose ? sendableSet : documentedSet).safeParse(set).error?.issues[0]?.message;
}

const entries = (...all: unknown[]): unknown => ({ Databases: all });

describe("rules 1 and 2: which operations carry ids", () => {
  it("accepts every operation in its form", () => {
    expect(databaseOperations).toHaveLength(6);
    for (const operation of ["manage", "download", "owner_manage"])
      expect(complaint(entries({ operation }))).toBeUndefined();
    for (const operation of ["import", "query", "edit"])
      expect(complaint(entries({ operation, ids: "1,2" }))).toBeUndefined();
  });

  it.each(["manage", "download", "owner_manage"])("rule 1: %s carries no ids", (operation) => {
    const set = entries({ operation, ids: "1" });
    expect(complaint(set)).toMatch(`ids on ${operation}; the API reference shows it without`);
    expect(complaint(set, true)).toBeUndefined();
  });

  it.each(["import", "query", "edit"])("rule 2: %s carries ids", (operation) => {
    const set = entries({ operation });
    expect(complaint(set)).toMatch(`${operation} without ids; the API reference shows it with`);
    expect(complaint(set, true)).toBeUndefined();
  });
});

describe("rule 3: one entry per operation", () => {
  it("accepts a second one only on request", () => {
    const set = entries(query, { operation: "manage" }, { operation: "query", ids: "2" });
    expect(complaint(set)).toMatch(/^a second entry for query; the API reference shows one per/);
    expect(complaint(set, true)).toBeUndefined();
  });
});

describe("the operations", () => {
  it("are lower-case in requests", () => {
    for (const operation of ["Query", "QUERY", "", "query ", "1", "query:1"])
      expect(complaint(entries({ operation, ids: "1" }), true)).toMatch(
        /is not a lower-case word; expected one of manage, download, owner_manage, import, query, edit/,
      );
  });

  it("are six; another one is sent only on request", () => {
    const set = entries({ operation: "audit", ids: "1" });
    expect(complaint(set)).toMatch(
      /^unknown operation audit; .* owner_manage, import, query, edit/,
    );
    expect(complaint(set, true)).toBeUndefined();
  });

  it("are never missing", () => {
    for (const entry of [{ ids: "1" }, { operation: 7 }, { operation: null }])
      expect(complaint(entries(entry), true)).toBe("operation is missing or not a string");
  });
});

describe("ids", () => {
  it.each([
    ["1, 2", "ids contains spaces"],
    [" 1", "ids contains spaces"],
    ["1\n", "ids contains spaces"],
    ["1,,2", "ids has an empty item"],
    ["1,", "ids has an empty item"],
    ["", "ids is empty"],
    ["1,2,1", "ids contains 1 twice"],
    [["1"], "ids is neither a string nor one id"],
    [-1, "ids is neither a string nor one id"],
    [1.5, "ids is neither a string nor one id"],
    [null, "ids is neither a string nor one id"],
  ])("are never sent as %j", (ids, message) => {
    const found = complaint(entries({ operation: "query", ids }), true);
    expect(found).toMatch(message);
    expect(found).toMatch(/; expected database ids separated only by commas, such as "101,102"$/);
  });

  it("may be a single one without an array", () => {
    for (const ids of ["101", 101])
      expect(complaint(entries({ operation: "edit", ids }))).toBeUndefined();
  });
});

describe("the set", () => {
  it("is an object with an array of entries under Databases", () => {
    for (const set of [null, [], "x", 7])
      expect(complaint(set, true)).toBe("the permission set is not a JSON object");
    for (const set of [{}, { Databases: null }, { Databases: {} }, { databases: [query] }])
      expect(complaint(set, true)).toBe("Databases is missing or not an array");
    expect(complaint(entries(query, "query"), true)).toBe("an entry is not an object");
  });

  it("has keys beside Databases, fields beside the two, or no entry only on request", () => {
    const sets: [unknown, RegExp][] = [
      [
        { Databases: [query], Jobs: [], Users: [] },
        /^Jobs, Users beside Databases; .* Databases alone/,
      ],
      [entries({ ...query, name: "x" }), /^further fields name; .* operation and ids only/],
      [entries(), /^Databases is empty; .* shows it with entries/],
    ];
    for (const [set, message] of sets) {
      expect(complaint(set)).toMatch(message);
      expect(complaint(set, true)).toBeUndefined();
    }
  });
});

describe("reading", () => {
  it.each([
    { Databases: [] },
    { Databases: [{ operation: "query" }, { operation: "Query", ids: [1], more: {} }] },
    { Databases: [query, query], Jobs: [{ id: "1" }], updated_at: "today" },
  ])("accepts what the seed does not show: %j", (set) => {
    expect(readableSet.parse(set)).toEqual(set);
  });

  it.each([
    {},
    { error: "x" },
    { Workflows: ["x"] },
    { Databases: {} },
    { Databases: [{ ids: "1" }] },
    { Databases: ["query"] },
    [],
    null,
  ])("refuses what is not a permission set: %j", (set) =>
    expect(readableSet.safeParse(set).success).toBe(false),
  );
});

describe("reading landed snapshots", () => {
  it("accepts what older snapshots may contain, such as an empty object", () => {
    for (const old of [{}, { Workflows: ["x"] }, { error: "x", Databases: [] }])
      expect(landedSet.safeParse(old).success).toBe(true);
    expect(landedSet.safeParse({ error: "x" }).success).toBe(false);
  });
});

describe("a policy id", () => {
  it("is what a path contains without encoding", () => {
    for (const id of ["1", "1234", "a-b_c.d~e"]) expect(policyId.safeParse(id).success).toBe(true);
    for (const id of ["", ".", "..", "1/2", "1?x", "1#", "%2e", "1 2", "ä", "1\n", "1".repeat(129)])
      expect(policyId.safeParse(id).success).toBe(false);
  });
});
