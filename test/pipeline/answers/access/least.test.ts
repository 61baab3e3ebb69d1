import { expect, test } from "vitest";
import {
  isAllowed,
  findLatestUse,
  computeLeastRights,
  canBeDenied,
  type Right,
  type Use,
} from "../../../../pipeline/answers/access/least.ts";

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
  "the right %s permits what it names, and nothing else",
  (_, held, answer) => {
    for (const one of asked)
      expect(isAllowed([held], ...one), one.join(" ")).toBe((answer as Answer)(...(one as Asked)));
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

test("the least set retains what recent uses needed, and what is unknown", () => {
  const held = [right("query", "1"), right("query", "2"), right("import"), right("download")];
  const strange = right("levitate");
  const listKept = (...uses: Use[]): Right[] => computeLeastRights([...held, strange], uses);
  expect(listKept()).toEqual([strange]);
  expect(listKept(use(["query"]))).toEqual([right("query", "1"), strange]);
  expect(listKept(use(["query"], { databaseId: null }))).toEqual([...held.slice(0, 2), strange]);
  expect(listKept(use(["import"], { databaseId: "9" }))).toEqual([right("import"), strange]);
  expect(listKept(use(["download"]))).toEqual([right("download"), strange]);
  expect(listKept(use(["query"], { recent: 0 }))).toEqual([strange]);
});

test("manage is replaced by the used permissions, unless the database remains unknown", () => {
  const held = [right("manage")];
  expect(computeLeastRights(held, [use(["query"])])).toEqual([right("query", "1")]);
  expect(computeLeastRights(held, [use(["query"]), use(["query"])])).toEqual([right("query", "1")]);
  expect(computeLeastRights(held, [use(["download"])])).toEqual([right("download")]);
  expect(computeLeastRights(held, [use(["query"], { databaseId: null })])).toEqual(held);
  expect(computeLeastRights(held, [use(["manage"])])).toEqual(held);
  expect(computeLeastRights(held, [])).toEqual([]);
});

test("owner_manage is retained for objects that a member made, and for making", () => {
  const held = [right("owner_manage")];
  expect(computeLeastRights(held, [use(["query"], { isOwn: true })])).toEqual(held);
  expect(computeLeastRights(held, [use(["owner_manage"], { databaseId: null })])).toEqual(held);
  expect(computeLeastRights(held, [use(["query"])])).toEqual([]);
});

test("the last use of a right is that which needed it, or may have, on its database or an unknown one", () => {
  const on = (day: number): string => `2026-03-0${day} 00:00:00`;
  const at = (day: number, operations: string[], more: Partial<Use> = {}): Use =>
    use(operations, { lastUsedAt: on(day), ...more });
  const uses = [
    at(3, ["query", "edit"]),
    at(5, ["query"], { databaseId: "2" }),
    at(4, ["import"], { databaseId: null }),
    at(1, ["query"]),
    at(2, ["import"], { isOwn: true }),
    at(6, ["download"], { databaseId: "2" }),
  ];
  const last = (operation: string, id: string | null = null): string | null =>
    findLatestUse(uses, right(operation, id));
  expect([last("query", "1"), last("query", "2"), last("query")]).toEqual([on(3), on(5), on(5)]);
  expect([last("query", "9"), last("import", "9"), last("edit", "1")]).toEqual([
    null,
    on(4),
    on(3),
  ]);
  expect([last("manage"), last("manage", "1"), last("download")]).toEqual([on(6), on(4), on(6)]);
  expect([last("owner_manage"), last("owner_manage", "2")]).toEqual([on(2), null]);
  expect(findLatestUse([at(7, ["owner_manage"])], right("owner_manage"))).toBe(on(7));
  expect(findLatestUse([at(7, ["query"])], right("owner_manage"))).toBeNull();
});

test("a use might be denied if one of its operations is, on its database or any named one", () => {
  const [one, two, all] = [right("query", "1"), right("query", "2"), right("query")];
  const rights: readonly Right[][] = [[], [one], [two], [one, two], [all], [right("import", "1")]];
  const listDenied = (used: Use): string[] =>
    rights.flatMap((before, b) =>
      rights.flatMap((after, a) => (canBeDenied(before, after, used) ? [`${b}${a}`] : [])),
    );
  const losing1 = ["10", "12", "15", "30", "32", "35", "40", "42", "45"];
  expect(listDenied(use(["query"]))).toEqual(losing1);
  expect(listDenied(use(["query", "import"]))).toEqual([...losing1, "50", "51", "52", "53", "54"]);
  const somewhere = listDenied(use(["query"], { databaseId: null }));
  const fewer = ["20", "21", "25", "31", "41", "43"];
  expect(somewhere).toEqual([...losing1, ...fewer].toSorted());
});
