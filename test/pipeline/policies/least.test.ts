import { expect, test } from "vitest";
import { allows, type Right } from "../../../pipeline/policies/least.ts";

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
