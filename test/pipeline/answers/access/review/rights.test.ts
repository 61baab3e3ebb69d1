import { expect, test } from "vitest";
import type { Use } from "../../../../../pipeline/answers/access/least.ts";
import { findLastUse } from "../../../../../pipeline/answers/access/review/rights.ts";

const use = { operations: ["query"], databaseId: "1", isOwn: false, lastUsedAt: "2026-01-02" };
const uses = [use as unknown as Use];

type Asked = readonly [kind: string, operation: string | null, objectId: string | null];
test.each<[asked: Asked, used: string | null, unused: string | null]>([
  [["Account", "account_owner", null], "2026-01-02", "never"],
  [["Databases", "query", "1"], "2026-01-02", "never"],
  [["Databases", "query", "2"], "never", "never"],
  [["Databases", null, null], null, null],
  [["Journeys", "edit", null], null, null],
])("the right %j was last used %s, and without a use %s", (asked, used, unused) => {
  const [kind, operation, objectId] = asked;
  expect(findLastUse({ kind, operation, objectId }, uses, "never")).toBe(used);
  expect(findLastUse({ kind, operation, objectId }, [], "never")).toBe(unused);
});
