import { expect, it } from "vitest";
import { newLoopGuard, planWindowReading } from "../../../../pipeline/core/source/audits.ts";
import { openPage, type OpenedPage } from "../../../../pipeline/core/source/open-page.ts";
import { buildAnswer } from "./discovery/answers.ts";
import { buildSource } from "./discovery/found.ts";

// How often pages may come that are the same, before positions count as ignored.

const buildPage = (audits: readonly object[], more: object = {}): OpenedPage =>
  openPage(buildAnswer({ audits, ...more }), { records_at: null, ignore_signs: [] });

/** The number of the page at which a guard gives up; undefined where it does not. */
async function givesUpAt(
  style: string,
  pages: readonly OpenedPage[],
  isBeyondEmpty = true,
): Promise<{ readonly at: number | undefined; readonly asked: number }> {
  const { audits } = buildSource({ audits: { paging: { style } } });
  let asked = 0;
  const guard = newLoopGuard(audits, planWindowReading(audits, 9), () => {
    asked += 1;
    return Promise.resolve(isBeyondEmpty);
  });
  for (const [i, page] of pages.entries()) {
    try {
      await guard(page);
    } catch (error) {
      expect((error as Error).message).toMatch(
        /^the service sent the same page twice: .*; the window was not stored; check sources\.<name>\.audits\.paging$/,
      );
      return { at: i + 1, asked };
    }
  }
  return { at: undefined, asked };
}

const times = (page: OpenedPage, count: number): OpenedPage[] =>
  Array.from({ length: count }, () => page);
const named = [
  { time: 1, id: "a" },
  { time: 9, id: "b" },
];
const nameless = [
  { time: 1, event_name: "a" },
  { time: 9, event_name: "b" },
];
const burst = [
  { time: 1, event_name: "a" },
  { time: 1.9, event_name: "b" },
];

it("a request far beyond the end shows whether page numbers are ignored", async () => {
  const page = buildPage(named);
  expect(await givesUpAt("page", times(page, 9))).toEqual({ at: undefined, asked: 1 });
  expect(await givesUpAt("offset", times(page, 9), false)).toEqual({ at: 2, asked: 1 });
  expect(await givesUpAt("page", [page, buildPage(nameless)], false)).toEqual({
    at: undefined,
    asked: 0,
  });
});

it("a page with ids and a cursor may come three times, with any envelope", async () => {
  const pages = [1, 2, 3, 4, 5].map((n) => buildPage(named, { request: n }));
  expect(await givesUpAt("cursor", pages.slice(0, 3))).toEqual({ at: undefined, asked: 0 });
  expect(await givesUpAt("cursor", pages)).toEqual({ at: 4, asked: 0 });
});

it("pages without ids may repeat as long as new ones are more frequent", async () => {
  const other = (n: number): OpenedPage => buildPage([...nameless, { time: n, event_name: "c" }]);
  const page = buildPage(nameless);
  expect((await givesUpAt("cursor", times(page, 5))).at).toBe(4);
  const mixed = [1, 2, 3, 4, 5, 6].flatMap((n) => [page, other(n)]);
  expect((await givesUpAt("cursor", mixed)).at).toBeUndefined();
  // Of three kinds of pages, the fourth repetition is one too many.
  const few = [page, other(1), other(2), ...times(page, 4)];
  expect((await givesUpAt("cursor", few)).at).toBe(7);
});

it("a burst may have up to a thousand equal pages", async () => {
  for (const records of [burst, [named[0]!, named[0]!]]) {
    const pages = times(buildPage(records), 1002);
    expect((await givesUpAt("cursor", pages.slice(0, 1001))).at).toBeUndefined();
    expect((await givesUpAt("cursor", pages)).at).toBe(1002);
  }
});

it("pages without records are no repetition", async () => {
  const empty = buildPage([]);
  expect(await givesUpAt("page", times(empty, 5), false)).toEqual({ at: undefined, asked: 0 });
});

it("records are identified by their digest, with any text around them", async () => {
  const guard = newLoopGuard(buildSource().audits, planWindowReading(buildSource().audits, 9), () =>
    Promise.resolve(true),
  );
  const digests: string[] = [];
  for (const page of [
    buildPage(named),
    buildPage(named, { request: 2 }),
    buildPage(burst),
    buildPage([]),
  ])
    digests.push(await guard(page));
  expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  expect([digests[1] === digests[0], digests[2] === digests[0], digests[3]]).toEqual([
    true,
    false,
    "",
  ]);
});

it("a window with too many pages is reported as not split, with the reason", () => {
  const tooMany = (window_params: object | null | undefined): string => {
    const settings = window_params === undefined ? {} : { window_params };
    return planWindowReading(buildSource({ audits: settings }).audits, 7).tooMany;
  };
  expect(tooMany(undefined)).toMatch(
    /^the window has more than 7 pages and cannot be split further/,
  );
  expect(tooMany(null)).toContain(
    "cannot be split, since sources.<name>.audits.window_params is null;",
  );
});
