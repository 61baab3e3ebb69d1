import { expect, test } from "vitest";
import { listPagingStyles } from "../../../../../pipeline/core/source/discovery/paging-styles.ts";
import { newAsker, groundOn, records, type Service } from "./answers.ts";

const size = 5;

// Takes a number of the page under either name; each answer says `next`.
const following =
  (name: string, next: (page: number) => object): Service =>
  (asked) => {
    const page = Number(/\d+/.exec(asked[name] ?? asked["page"] ?? "1")![0]);
    return { ...next(page + 1), audits: records.slice((page - 1) * size, page * size) };
  };

test.each<[what: string, name: string, next: (page: number) => object, first: object]>([
  [
    "what the body names as the next, before a page number that would do as well",
    "cursor",
    (page) => ({ next_cursor: `p${page}` }),
    { style: "cursor", param: "cursor", next_at: "next_cursor" },
  ],
  [
    "the page number before a short number in the body, which may be just that",
    "page",
    (page) => ({ next_page: page }),
    { style: "page", param: "page", first: 1 },
  ],
  [
    "what has no telling name last",
    "cursor",
    (page) => ({ next_page: page, shade: `p${page}` }),
    { style: "page", param: "page", first: 1 },
  ],
])("the simplest paging style comes first: %s", async (_, name, next, first) => {
  const service = following(name, next);
  const ground = groundOn(service);
  const ways = listPagingStyles(newAsker(service), ground, {}, ground.audits.paging);
  const { value } = await ways.next();
  expect(value).toEqual(first);
});
