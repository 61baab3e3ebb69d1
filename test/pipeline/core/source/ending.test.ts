import { expect, it } from "vitest";
import { type Ending, describeForm, newWatch } from "../../../../pipeline/core/source/ending.ts";
import { buildSource } from "./discovery/found.ts";

// How the reading of a range ended, by its pages: evidence for that end, and contradicting signs.

type Page = Parameters<ReturnType<typeof newWatch>["see"]>[0];

const page = (records: number, envelope: unknown = {}, more: Partial<Page> = {}): Page => ({
  records,
  envelope,
  headers: {},
  looksLikeRecords: true,
  ...more,
});

function end(audits: object, pages: readonly Page[]): Ending {
  const watch = newWatch(buildSource({ audits }).audits);
  for (const one of pages) watch.see(one);
  return watch.ending();
}

const style = (name: string, more: object = {}): object => ({ paging: { style: name, ...more } });
const cursor = style("cursor", { next_at: "meta.next" });
const numbered = style("page");

it.each<[audits: object, last: Page | undefined, by: string]>([
  [style("none"), page(3, { next: null }), "only_page"],
  [style("link_header"), page(3, { next: null }), "absent_next"],
  [cursor, page(3, { meta: { next: null } }), "null_next"],
  [cursor, page(3, { meta: { next: "" } }), "null_next"],
  [cursor, page(3, { meta: null }), "null_next"],
  [cursor, page(3, { meta: {} }), "absent_next"],
  [cursor, page(0, { meta: { next: null } }), "null_next"],
  [cursor, undefined, "absent_next"],
  [style("cursor", { next_at: null }), page(3, { next: null }), "absent_next"],
  [numbered, page(0), "empty_page"],
  [style("page", { next_at: "next" }), page(3, { next: null }), "null_next"],
  [style("page", { next_at: "next" }), page(0, { next: null }), "empty_page"],
  [style("offset", { next_at: "next" }), page(3, { next: "x" }), "empty_page"],
])("a read with %j and %j ends by %s", (audits, last, by) => {
  expect(end(audits, last === undefined ? [] : [last]).by).toBe(by);
});

it("records, the last page and the smallest followed page are counted", () => {
  const sizes = (...records: number[]): object => {
    const pages = records.map((count) => page(count));
    const { lastPage, smallestFollowed, isFollowed, records: all } = end(cursor, pages);
    return [all, lastPage, smallestFollowed, isFollowed];
  };
  expect(sizes()).toEqual([0, 0, undefined, false]);
  expect(sizes(5)).toEqual([5, 5, undefined, false]);
  expect(sizes(5, 0)).toEqual([5, 5, undefined, true]);
  expect(sizes(5, 3)).toEqual([8, 3, 5, true]);
  expect(sizes(5, 3, 0, 1, 0)).toEqual([9, 1, 3, true]);
  expect(end(numbered, [page(5), page(0)]).isFollowed).toBe(false);
});

type Case = readonly [sign: string, audits: object, pages: readonly Page[]];
const linked = { headers: { link: '<https://a/b>; rel="next"' } };
const against: readonly Case[] = [
  ["error", cursor, [page(2, { error: "x" }), page(1)]],
  ["records", cursor, [page(1, {}, { looksLikeRecords: false }), page(1)]],
  ["next", style("none"), [page(2, { next: "x" })]],
  ["next", style("none"), [page(2, {}, linked)]],
  ["next", cursor, [page(2, { links: { next: "x" } })]],
  ["has_more", cursor, [page(2), page(1, { has_more: true })]],
  ["total", cursor, [page(2, { total: 4 }), page(1)]],
  ["total", { ...cursor, total_at: "n" } as object, [page(2, { n: 3 })]],
  ["page_sizes", numbered, [page(2), page(3), page(0)]],
  ["page_sizes", numbered, [page(2), page(1), page(2), page(0)]],
];

it.each(against)("%s contradicts the end: %j, %j", (sign, audits, pages) => {
  expect(end(audits, pages).signs).toEqual([sign]);
  expect(end({ ...audits, ignore_signs: [sign] }, pages).signs).toEqual([]);
});

it.each<[audits: object, pages: readonly Page[]]>([
  [cursor, [page(0, {}, { looksLikeRecords: false })]],
  [cursor, [page(2, { has_more: true, total: 9 }), page(1, { total: 3 })]],
  [cursor, [page(2, { total: 2 })]],
  [cursor, [page(2, { total: 1 })]],
  [cursor, [page(2), page(1), page(2)]],
  [style("link_header"), [page(2, {}, linked)]],
  [numbered, [page(2, { next: "x" }), page(0, { next: "x" }, linked)]],
  [numbered, [page(2), page(2), page(1), page(0)]],
  [numbered, [page(1), page(0)]],
])("nothing contradicts the end: %j, %j", (audits, pages) => {
  expect(end(audits, pages).signs).toEqual([]);
});

it("lists all contradicting signs, sorted, and the last total", () => {
  const pages = [page(2, { total: 9, partial: true }), page(1, { total: 7, error: "x" }), page(1)];
  expect(end(cursor, pages)).toMatchObject({ signs: ["error", "partial", "total"], total: 7 });
});

it("the form of a request includes all that affects it, and nothing else", () => {
  const form = (audits: object): string => describeForm(buildSource({ audits }).audits);
  const changes = [
    { path: "/other" },
    { window_params: null },
    style("offset"),
    { paging: { style: "page", param: "p" } },
    { paging: { style: "page", size_param: "s" } },
    { paging: { style: "page", next_at: "n" } },
    { records_at: "x" },
  ];
  expect(new Set([{}, ...changes].map(form)).size).toBe(changes.length + 1);
  for (const same of [{ total_at: "n" }, { ignore_signs: ["error"] }, { paging: { size: 7 } }])
    expect(form(same)).toBe(form({}));
});
