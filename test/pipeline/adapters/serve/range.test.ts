import { expect, it } from "vitest";
import { buildPageUrl, shiftRange } from "../../../../pipeline/adapters/serve/range.ts";

const nowMs = Date.UTC(2026, 10, 28);

it.each([
  ["7d", "now", ["2026-11-14T00:00:00Z", "2026-11-21T00:00:00Z"], undefined],
  [
    "2026-11-20",
    "2026-11-22",
    ["2026-11-18T00:00:00Z", "2026-11-20T00:00:00Z"],
    ["2026-11-22T00:00:00Z", "2026-11-24T00:00:00Z"],
  ],
  ["2026-11-22", "2026-11-20", undefined, undefined],
  ["banana", "now", undefined, undefined],
])("links %s – %s to the previous and next range", (since, until, before, after) => {
  const read = shiftRange({ since, until }, nowMs).map(
    (range) => range && [range.since, range.until],
  );
  expect(read).toEqual([before, after]);
});

it("changes one parameter of an address and retains the others", () => {
  const page = { path: "/events", params: new URLSearchParams("person=a%26b&since=7d") };
  expect(buildPageUrl(page, { since: "30d", until: null })).toBe("/events?person=a%26b&since=30d");
  expect(buildPageUrl(page, { since: null, person: null })).toBe("/events");
});
