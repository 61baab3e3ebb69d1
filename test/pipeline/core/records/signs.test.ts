import { expect, it } from "vitest";
import {
  announcesMore,
  namesNext,
  listSigns,
  readTotal,
  readValueAt,
} from "../../../../pipeline/core/records/signs.ts";

// What a body says around its records.

const filled = ["x", 1, true, { a: 1 }, ["x"]];
const blank = [null, false, "", 0, {}, [], undefined];
const faults: Readonly<Record<string, { readonly yes: unknown[]; readonly no: unknown[] }>> = {
  error: { yes: filled, no: blank },
  errors: { yes: filled, no: blank },
  fault: { yes: filled, no: blank },
  faults: { yes: filled, no: blank },
  success: { yes: [false, "false"], no: [true, "true", 0, null, "no"] },
  ok: { yes: [false, "false"], no: [true, "true", 0, null] },
  partial: { yes: [true, "true"], no: [false, "false", 1, null] },
  incomplete: { yes: [true, "true"], no: [false, 1] },
  truncated: { yes: [true, "true"], no: [false, 1] },
  timed_out: { yes: [true, "true"], no: [false, 1] },
  status: {
    yes: [400, 599, "400", "599", "error", "Fail", "FAILED", "failure"],
    no: [399, 600, "399", "ok", "errors", "a failure", null, [500], true],
  },
};

it("each name is read as a sign of a fault by its meaning", () => {
  for (const [sign, { yes, no }] of Object.entries(faults)) {
    for (const value of yes)
      expect([value, listSigns({ [sign]: value }, [])]).toEqual([value, [sign]]);
    for (const value of no)
      expect([sign, value, listSigns({ [sign]: value }, [])]).toEqual([sign, value, []]);
  }
});

it("signs are found at the top and one object below, once each, by name, except ignored ones", () => {
  const body = {
    truncated: true,
    "Timed-Out": true,
    data: { error: "x" },
    meta: { truncated: true },
  };
  expect(listSigns(body, [])).toEqual(["error", "timed_out", "truncated"]);
  expect(listSigns(body, ["error", "timed_out"])).toEqual(["truncated"]);
  for (const deep of [{ a: { b: { error: "x" } } }, [{ error: "x" }], { list: [{ error: "x" }] }])
    expect(listSigns(deep, [])).toEqual([]);
  expect(listSigns({ constructor: "x", toString: "x" }, [])).toEqual([]);
});

it("names are recognized in any spelling", () => {
  for (const name of ["timed_out", "timedOut", "TimedOut", "TIMED_OUT", "timed-out", "_timed out_"])
    expect([name, listSigns({ [name]: true }, [])]).toEqual([name, ["timed_out"]]);
  for (const name of ["timedout", "timed_out_at", "timed__out_x"])
    expect([name, listSigns({ [name]: true }, [])]).toEqual([name, []]);
});

it("a configured sign announces more records", () => {
  for (const name of ["has_more", "hasNext", "has_next_page", "more-available"]) {
    for (const value of [true, "true"])
      for (const body of [
        { n: 1, [name]: value },
        { n: 1, page: { [name]: value } },
      ])
        expect([body, announcesMore(body)]).toEqual([body, true]);
    for (const value of [false, "false", 1, null])
      expect(announcesMore({ [name]: value })).toBe(false);
  }
  expect(announcesMore({ has_one: true, more: true })).toBe(false);
});

it("a next page is named by a number, a text, or texts in an object", () => {
  const names =
    "next next_page nextUrl next_uri next_link next_href next_cursor nextToken next_marker next_offset next_page_token next_page_url next_page_link next_page_cursor @odata.nextLink continuation continuationToken";
  for (const name of names.split(" "))
    for (const value of [1, 0.5, "x", { href: "x", at: 1 }])
      for (const body of [
        { n: 1, [name]: value },
        { n: 1, links: { [name]: value } },
      ])
        expect([body, namesNext(body)]).toEqual([body, true]);
  for (const value of [0, -1, "", null, true, {}, { at: 1 }, ["x"]])
    expect([value, namesNext({ next: value })]).toEqual([value, false]);
  expect(namesNext({ previous: "x", next_run: "x" })).toBe(false);
});

it("the total of all records is found at its place, or under usual names, the topmost first", () => {
  for (const name of ["total", "total_count", "total_records", "total_results"])
    for (const holder of ["", "meta", "metadata", "paging", "pagination"])
      expect(readTotal(holder === "" ? { [name]: 7 } : { [holder]: { [name]: 7 } }, null)).toBe(7);
  expect(readTotal({ meta: { total: 1 }, total_count: 2 }, null)).toBe(2);
  expect(readTotal({ total: "many", meta: { total: 1 } }, null)).toBe(1);
  expect(readTotal({ data: { total: 1 } }, null)).toBeUndefined();
  expect(readTotal({ total: 1, data: { n: "12" } }, "data.n")).toBe(12);
  expect(readTotal({ total: 1 }, "data.n")).toBeUndefined();
  for (const value of [0, "0", 9_007_199_254_740_991])
    expect(readTotal({ total: value }, null)).toBe(Number(value));
  for (const value of [
    -1,
    1.5,
    "1.5",
    "-1",
    "",
    "1e3",
    9_007_199_254_740_992,
    "99999999999999999",
    null,
  ])
    expect([value, readTotal({ total: value }, null)]).toEqual([value, undefined]);
  for (const body of [[7], "7", null]) expect(readTotal(body, null)).toBeUndefined();
});

it("a dotted path follows only own members", () => {
  const body = { a: { b: { c: null }, list: [1] }, "": { "": 2 } };
  expect(readValueAt(body, "a.b.c")).toBeNull();
  expect(readValueAt(body, ".")).toBe(2);
  for (const path of ["a.c", "a.b.c.d", "a.list.0", "a.constructor", "toString", "a.list.length"])
    expect([path, readValueAt(body, path)]).toEqual([path, undefined]);
});
