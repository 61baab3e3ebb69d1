import { describe, expect, it } from "vitest";
import { answer, failure, type Script } from "./raw-service.ts";
import {
  body,
  countReads,
  counts,
  list,
  newPaged,
  queries,
  read,
  records,
  startMs,
} from "./window-reader.ts";

// A window is read page by page to its end, in every paging style, and never round in a circle.

describe("paging by page number", () => {
  it("continues after short pages, and ends at an empty one", async () => {
    const pages = await read(newPaged("page"), [list(2), list(1), list(2), list(0)]);
    expect(counts(pages)).toEqual([2, 1, 2, 0]);
    expect(queries()).toEqual([1, 2, 3, 4].map((n) => `?page=${n}&per_page=2`));
  });

  it("ends at a next page that is null, and not at a missing one", async () => {
    const scripts = [body(2, { next_page: 2 }), body(2, {}), body(2, { next_page: null })];
    expect(counts(await read(newPaged("page"), scripts))).toEqual([2, 2, 2]);
  });

  it("may start at 0, and have other names and no size", async () => {
    await read(newPaged("page", { first: 0, param: "p", size_param: null }), [list(1), list(0)]);
    expect(queries()).toEqual(["?p=0", "?p=1"]);
  });
});

describe("paging by offset", () => {
  it("counts the received records, not the requested ones", async () => {
    await read(newPaged("offset", { param: "offset" }), [list(2), list(1), list(2), list(0)]);
    expect(queries()).toEqual([0, 2, 3, 5].map((n) => `?offset=${n}&per_page=2`));
  });
});

describe("paging by cursor", () => {
  const cursor = newPaged("cursor", { param: "after", next_at: "next.after" });

  it("continues after an empty page and ends without a cursor", async () => {
    const scripts = [
      body(2, { next: { after: "a b&c" } }),
      body(0, { next: { after: 7 } }),
      body(1, { next: { after: "z" } }),
      body(0, { next: { after: null } }),
    ];
    expect(counts(await read(cursor, scripts))).toEqual([2, 0, 1, 0]);
    expect(queries()).toEqual([
      "?per_page=2",
      "?after=a+b%26c&per_page=2",
      "?after=7&per_page=2",
      "?after=z&per_page=2",
    ]);
  });

  it.each([{}, { next: {} }, { next: null }, { next: { after: "" } }])(
    "ends with %j",
    async (more) => {
      expect(counts(await read(cursor, [body(2, more)]))).toEqual([2]);
    },
  );

  it("keeps the digits of a big cursor", async () => {
    const first = answer('{"audits":[],"next":{"after":98765432109876543210}}');
    await read(cursor, [first, body(0, {})]);
    expect(queries()[1]).toBe("?after=98765432109876543210&per_page=2");
  });

  it("may have a cursor equal to the first position", async () => {
    await read(cursor, [
      body(1, { next: { after: "first" } }),
      body(1, { next: { after: "0" } }),
      body(0, {}),
    ]);
    expect(queries()).toHaveLength(3);
  });

  it("refuses a cursor that is not a text or number", async () => {
    const error = await failure(read(cursor, [body(1, { next: { after: { a: 1 } } })]));
    expect(error.message).toContain("next.after of the body is neither text nor a number");
  });

  it("ignores inherited properties of objects", async () => {
    const odd = newPaged("cursor", { next_at: "constructor.name" });
    expect(counts(await read(odd, [body(1, {})]))).toEqual([1]);
  });

  it("stops at a cursor that was seen before", async () => {
    const scripts = ["a", "b", "a"].map((after) => body(1, { next: { after } }));
    const error = await failure(read(cursor, scripts));
    expect(error.message).toMatch(/page 3 refers to a next page that was already read.*never end/);
    expect(queries()).toHaveLength(3);
  });
});

describe("a repeating page loop", () => {
  it("of one page sent again and again is found", async () => {
    const same = records(2);
    let asked = 0;
    const script: Script = (socket, head) =>
      answer(`{"request":${(asked += 1)},"audits":${same}}`)(socket, head);
    for (const style of ["page", "offset"]) {
      const error = await failure(read(newPaged(style), [script]));
      expect(error.message).toMatch(
        /sent the same page twice: it seems to ignore (page|offset) paging/,
      );
      // The third is far beyond the end: the same page again means that the position is ignored.
      expect(queries()).toHaveLength(3);
    }
  });

  it("is not reported if nothing is far beyond the end: equal records fill several pages", async () => {
    const same = `{"audits":${JSON.stringify([1, 1].map((time) => ({ time })))}}`;
    for (const style of ["page", "offset"]) {
      const scripts = [answer(same), answer(same), list(0), answer(same), list(0)];
      expect(counts(await read(newPaged(style), scripts))).toEqual([2, 2, 2, 0]);
      expect(queries()[2]).toContain("100000000");
    }
    const cursor = newPaged("cursor", { param: "after", next_at: "next" });
    const turned = [1, 2, 3].map((next) => answer(same.replace("{", `{"next":${next},`)));
    expect(counts(await read(cursor, [...turned, body(0, { next: null })]))).toEqual([2, 2, 2, 0]);
  });

  it("of several pages is found", async () => {
    const pages = [records(2), records(2), records(1)].map((text) => answer(text));
    const error = await failure(read(newPaged("page"), [...pages, ...pages]));
    expect([error.message.includes("same page twice"), queries().length]).toEqual([true, 5]);
  });

  // Pages of two records each, with cursors that change; `ids` means records that have one.
  const newCursored = (pages: readonly (readonly number[])[], hasIds: boolean): Script[] =>
    pages.map((times, i) => {
      const audits = times.map((time) => ({ time, ...(hasIds ? { id: `a${time}` } : {}) }));
      return answer(JSON.stringify({ audits, next: i + 1 < pages.length ? i + 1 : null }));
    });
  const byCursor = newPaged("cursor", { param: "after", next_at: "next" });
  // Bursts of equal records in no order: their mixtures come again, beside as many that are new.
  const mixtures = [11, 12, 21, 13, 31, 12, 21, 13, 22, 33, 12].map((both) => [
    Math.floor(both / 10),
    both % 10,
  ]);

  it("is not reported if records without an id are equal in several bursts", async () => {
    const pages = await read(byCursor, newCursored(mixtures, false));
    expect(counts(pages)).toEqual(mixtures.map(() => 2));
  });

  it("of pages with ids is found at the fourth repeat", async () => {
    const error = await failure(read(byCursor, newCursored(mixtures, true)));
    expect([error.message.includes("same page twice"), queries().length]).toEqual([true, 8]);
  });

  it("of pages without ids is found when all of them came twice", async () => {
    const circle = [12, 21, 13, 31, 23].map((both) => [Math.floor(both / 10), both % 10]);
    const turns = Array.from({ length: 4 }, () => circle).flat();
    const error = await failure(read(byCursor, newCursored(turns, false)));
    expect([error.message.includes("same page twice"), queries().length]).toEqual([true, 11]);
  });

  it("without end is stopped", async () => {
    const endless: Script = (socket, head) => list(1)(socket, head);
    const settings = { ...newPaged("page"), limits: { max_pages: 7 } };
    const error = await failure(read(settings, [endless]));
    expect(error.message).toContain("more than 7 pages");
    expect(queries()).toHaveLength(7);
  });

  it("is not reported for equal empty pages", async () => {
    const cursor = newPaged("cursor", { next_at: "next" });
    const scripts = [1, 2, 3].map((next) => body(0, { next })).concat(body(0, {}));
    expect(counts(await read(cursor, scripts))).toEqual([0, 0, 0, 0]);
  });
});

describe("the requested window", () => {
  it("is in whole seconds that include it", async () => {
    const odd = { startMs: startMs + 1, endMs: startMs + 1001 };
    await read({ audits: { paging: { style: "none" } } }, [list(0)], odd);
    expect(queries()).toEqual([`?from=${startMs / 1000}&to=${startMs / 1000 + 2}`]);
  });

  it("may be in ISO 8601, under other names, or omitted", async () => {
    const names = { from: "since", to: "until", form: "iso8601" };
    await read({ audits: { window_params: names, paging: { style: "none" } } }, [list(0)]);
    expect(queries()).toEqual([
      "?since=2026-01-01T00%3A00%3A00.000Z&until=2026-01-02T00%3A00%3A00.000Z",
    ]);
    await read(
      { audits: { window_params: null, paging: { style: "none" }, path: "/v4/audits?kind=all" } },
      [list(3)],
    );
    expect(queries()).toEqual(["?kind=all"]);
  });

  it("has one page without paging", async () => {
    expect(counts(await read(newPaged("none"), [body(5, { next_page: 2 })]))).toEqual([5]);
  });

  it("reports the service's clock, even without records", async () => {
    const date = new Date(startMs).toUTCString();
    const pages = await read(newPaged("none"), [list(0, { Date: date })]);
    expect(pages).toMatchObject([{ records: 0, serverTimeMs: startMs }]);
  });

  it.each([
    "Sat, 01 Jan 11000 00:00:00 GMT",
    "Sat, 01 Jan 275760 00:00:00 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
  ])("reports no clock with an implausible year: %s", async (date) => {
    const pages = await read(newPaged("none"), [list(0, { Date: date })]);
    expect(pages).toMatchObject([{ records: 0, serverTimeMs: undefined }]);
  });

  it("has its records where the configuration says", async () => {
    const settings = { audits: { records_at: "data.items", paging: { style: "none" } } };
    const text = `{"links":[{"a":1}],"data":{"items":${records(2)}}}`;
    expect(counts(await read(settings, [answer(text)]))).toEqual([2]);
    expect(counts(await read(settings, [answer('{"data":{"items":null}}')]))).toEqual([0]);
    const error = await failure(read(settings, [answer('{"data":{}}')]));
    expect(error.message).toContain("the body has no items");
  });

  it("repeats the request for an incomplete page, and only for that", async () => {
    const cut = answer(records(2).slice(0, 10));
    expect(counts(await read(newPaged("page"), [list(2), cut, list(2), list(0)]))).toEqual([
      2, 2, 0,
    ]);
    expect(queries().map((query) => query.slice(0, 7))).toEqual([
      "?page=1",
      "?page=2",
      "?page=2",
      "?page=3",
    ]);
    expect(countReads()).toEqual({ requests: 4, retries: 1 });
  });
});
