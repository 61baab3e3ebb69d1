import { expect, test } from "vitest";
import type { Right, Use } from "../../../../pipeline/answers/access/least.ts";
import { listLosses } from "../../../../pipeline/answers/access/proposal.ts";

const right = (text: string): Right => {
  const [operation = "", id = null] = text.split(":");
  return { operation, id };
};

/** What is lost of rights, each as `query:7` or `manage`, to one member. */
function lost(held: readonly string[], proposed: readonly string[]): string[] {
  const members = [{ person: "ann", otherwise: null }];
  const losses = listLosses(held.map(right), proposed.map(right), [], members);
  return losses.map(({ right: { operation, id } }) => `${operation}${id === null ? "" : `:${id}`}`);
}

test("a proposal loses no permitted right, and keeps those of makers for makers only", () => {
  expect(lost(["query:1", "query:2"], ["query:1"])).toEqual(["query:2"]);
  expect(lost(["query:1", "import:1"], ["query"])).toEqual(["import:1"]);
  expect(lost(["query", "query:1"], ["query:1"])).toEqual(["query"]);
  expect(lost(["manage", "query:1"], ["manage"])).toEqual([]);
  expect(lost(["owner_manage", "query:1", "download"], ["owner_manage"])).toEqual([
    "query:1",
    "download",
  ]);
});

test("each member loses their own last uses, unless another way permits them", () => {
  const use = (person: string, day: number, operation: string): Use => ({
    person,
    operations: [operation],
    databaseId: "1",
    isOwn: false,
    uses: 1,
    recent: 0,
    lastUsedAt: `2026-03-0${day} 00:00:00`,
  });
  const uses = [use("ann", 2, "query"), use("bob", 3, "query"), use("ann", 4, "import")];
  const ways = [
    ["ann", null],
    ["bob", "query:2"],
    ["bob", "query:1"],
    ["cat", "owner_manage"],
    ["dan", "import:1"],
    ["dan", "manage"],
  ] as const;
  const members = ways.map(([person, otherwise]) => ({
    person,
    otherwise: otherwise === null ? null : right(otherwise),
  }));
  const losses = listLosses([right("query:1")], [], uses, members);
  expect(losses).toEqual(
    [
      ["ann", "2026-03-02 00:00:00", false],
      ["bob", "2026-03-03 00:00:00", true],
      ["cat", null, false],
      ["dan", null, true],
    ].map(([person, lastUsedAt, hasOtherwise]) => ({
      person,
      right: right("query:1"),
      lastUsedAt,
      hasOtherwise,
    })),
  );
});
