import { expect, it } from "vitest";
import {
  isAddress,
  listLeads,
  readLeafAt,
  listLeaves,
} from "../../../../../pipeline/core/source/discovery/envelopes.ts";

it("values are found at dotted paths, five keys deep, outside of arrays", () => {
  const envelope = {
    a: 1,
    "b.c": 2,
    list: [{ x: 1 }],
    d: { e: null, f: { g: { h: { i: "deep" } } } },
    k: { l: { m: { n: { o: { p: "deeper" } } } } },
    "": { "": 3 },
  };
  expect(listLeaves(envelope)).toEqual([
    { path: "a", value: 1 },
    { path: "d.e", value: null },
    { path: "d.f.g.h.i", value: "deep" },
    { path: ".", value: 3 },
  ]);
  for (const none of [[1], "x", null]) expect(listLeaves(none)).toEqual([]);
  expect([
    readLeafAt(envelope, "a"),
    readLeafAt(envelope, "d.e"),
    readLeafAt(envelope, "b"),
  ]).toEqual([1, null, undefined]);
});

it("candidates for a next page come by name, texts before numbers, and never if constant", () => {
  const envelope = {
    version: 4,
    request: "r-2",
    count: 7,
    offset: 5,
    same: "x",
    next_page: 2,
    cursor: "c",
    after: "",
    has_more: true,
    token: null,
  };
  const other = { version: 4, request: "r-1", count: 8, offset: 6, same: "x", cursor: "c" };
  expect(listLeads(envelope, other)).toEqual([
    { path: "cursor", value: "c" },
    { path: "next_page", value: "2" },
    { path: "request", value: "r-2" },
    { path: "count", value: "7" },
    { path: "offset", value: "5" },
  ]);
});

it("an address is absolute or relative", () => {
  for (const text of ["https://a/b", "HTTP://a", "/v4/audits?x=1", "?page=2", "/"])
    expect([text, isAddress(text)]).toEqual([text, true]);
  for (const text of [
    "",
    "audits",
    "https://",
    "https://a b",
    "/a b",
    "x/y",
    "ftp://a",
    "a https://b",
  ])
    expect([text, isAddress(text)]).toEqual([text, false]);
});
