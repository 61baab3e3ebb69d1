import { expect, test } from "vitest";
import { allows, leastRights, type Right, type Use } from "../../../pipeline/policies/least.ts";

const right = (operation: string, id: string | null = null): Right => ({ operation, id });

type Asked = readonly [operation: string, databaseId: string | null, isOwn: boolean];
const asked: readonly Asked[] = ["query", "owner_manage", "download"].flatMap((operation) =>
  ["1", "2", null].flatMap((id) => [false, true].map((isOwn): Asked => [operation, id, isOwn])),
);

type Answer = (...asked: Asked) => boolean;
const rules: readonly (readonly [Right, Answer])[] = [
  [right("manage"), () => true],
  [right("administrator"), () => true],
  [right("account_owner"), () => true],
  // What one made oneself, and to make something.
  [right("owner_manage"), (operation, _, isOwn) => isOwn || operation === "owner_manage"],
  [right("query"), (operation) => operation === "query"],
  [right("query", "1"), (operation, id) => operation === "query" && id === "1"],
  [right("download"), (operation) => operation === "download"],
];

test.each(rules.map(([held, answer]) => [`${held.operation} ${held.id ?? ""}`, held, answer]))(
  "the right %s allows what it stands for, and nothing else",
  (_, held, answer) => {
    for (const one of asked)
      expect(allows([held], ...one), one.join(" ")).toBe((answer as Answer)(...(one as Asked)));
  },
);

const use = (operations: string[], more: Partial<Use> = {}): Use => ({
  person: "7",
  operations,
  databaseId: "1",
  isOwn: false,
  uses: 1,
  recent: 1,
  lastUsedAt: "2026-03-01 00:00:00",
  ...more,
});

test("the least set keeps what recent uses needed, and what nobody knows the use of", () => {
  const held = [right("query", "1"), right("query", "2"), right("import"), right("download")];
  const strange = right("levitate");
  const kept = (...uses: Use[]): Right[] => leastRights([...held, strange], uses);
  expect(kept()).toEqual([strange]);
  expect(kept(use(["query"]))).toEqual([right("query", "1"), strange]);
  expect(kept(use(["query"], { databaseId: null }))).toEqual([...held.slice(0, 2), strange]);
  expect(kept(use(["import"], { databaseId: "9" }))).toEqual([right("import"), strange]);
  expect(kept(use(["download"]))).toEqual([right("download"), strange]);
  expect(kept(use(["query"], { recent: 0 }))).toEqual([strange]);
});

test("manage gives way to what was done, unless that leaves open on which database", () => {
  const held = [right("manage")];
  expect(leastRights(held, [use(["query"])])).toEqual([right("query", "1")]);
  expect(leastRights(held, [use(["query"]), use(["query"])])).toEqual([right("query", "1")]);
  expect(leastRights(held, [use(["download"])])).toEqual([right("download")]);
  expect(leastRights(held, [use(["query"], { databaseId: null })])).toEqual(held);
  expect(leastRights(held, [use(["manage"])])).toEqual(held);
  expect(leastRights(held, [])).toEqual([]);
});

test("owner_manage stays for what one made, and for making", () => {
  const held = [right("owner_manage")];
  expect(leastRights(held, [use(["query"], { isOwn: true })])).toEqual(held);
  expect(leastRights(held, [use(["owner_manage"], { databaseId: null })])).toEqual(held);
  expect(leastRights(held, [use(["query"])])).toEqual([]);
});
