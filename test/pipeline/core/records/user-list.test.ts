import { expect, it } from "vitest";
import { buildUserList, type ReadUserPage } from "../../../../pipeline/core/records/user-list.ts";

const buildPage = (ids: readonly number[], body: object, isFollowed: boolean): ReadUserPage => ({
  users: ids.map((id) => ({ id: BigInt(id), email: `${id}@example.com` })),
  body,
  isFollowed,
  hasLink: false,
});

const against = (totals: readonly object[], ignore: readonly string[] = []): readonly string[] => {
  const pages = totals.map((body, i) => buildPage([2 * i, 2 * i + 1], body, i === 0));
  return buildUserList(pages, ignore).against;
};

it.each([
  ["as many as are listed", [{ total: 4 }, { total: 4 }], []],
  ["more than are listed, on the first page alone", [{ total: 5 }, { total: 4 }], ["total"]],
  ["more than are listed, on the last page alone", [{ total: 4 }, { total: 5 }], ["total"]],
  ["more on the only page with a total", [{}, { total: 5 }], ["total"]],
  ["fewer than are listed", [{ total: 3 }, { total: 3 }], []],
  ["more to come behind a page that was followed", [{ has_more: true }, {}], []],
  ["more to come behind the last page", [{}, { has_more: true }], ["has_more"]],
  ["a next address on the last page", [{}, { next: "https://x.example/2" }], ["next"]],
])("a user list whose pages have %s has the contradicting signs: %j", (_, totals, expected) => {
  expect(against(totals)).toEqual(expected);
  expect(against(totals, expected)).toEqual([]);
});

it("counts a user who is listed twice once", () => {
  const pages = [buildPage([1, 2], { total: 3 }, true), buildPage([2], { total: 3 }, false)];
  expect(buildUserList(pages, []).against).toEqual(["total"]);
});
