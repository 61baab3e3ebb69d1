import { expect, it } from "vitest";
import { findEntriesByPath, isPath } from "../../../../pipeline/answers/catalog/entries.ts";
import type { Catalog } from "../../../../schemas/catalog.ts";

const operation = (text: string): object => {
  const [verb, path] = text.split(" ");
  return { verb, path };
};
const catalog = {
  entries: Object.entries({
    list: ["GET /v4/queries"],
    change: ["PATCH /v4/queries/:id", "DELETE /v4/queries/:id"],
    share: ["POST /v4/queries/{id}/share.json"],
    all: ["GET /v3/files/*"],
    any: ["GET /v3/*/owner"],
  }).map(([event, all]) => ({ event, operations: all.map(operation) })),
} as unknown as Catalog;

const find = (text: string): string[] =>
  findEntriesByPath(catalog, text).map(
    ({ event, operations }) => `${event}: ${operations.map(({ verb }) => verb).join(" ")}`,
  );

it.each([
  ["/v4/queries", ["list: GET"]],
  ["GET /v4/queries", ["list: GET"]],
  ["  get   v4/queries/  ", ["list: GET"]],
  ["/v4/queries?limit=3", ["list: GET"]],
  ["/v4/queries/#top", ["list: GET"]],
  ["//v4/queries//", ["list: GET"]],
  ["/v4/queries/12", ["change: PATCH DELETE"]],
  ["DELETE /v4/queries/12", ["change: DELETE"]],
  ["/v4/queries/:id", ["change: PATCH DELETE"]],
  ["/v4/queries/12.json", ["change: PATCH DELETE"]],
  ["/v4/queries/12/share", ["share: POST"]],
  ["/v4/queries/12/share.json.gz", ["share: POST"]],
  ["/v3/files/a", ["all: GET"]],
  ["/v3/files/a/b/c", ["all: GET"]],
  ["/v3/files/owner", ["all: GET", "any: GET"]],
  ["/v3/x/owner", ["any: GET"]],
])("%s is the request of %j", (text, events) => {
  expect(find(text)).toEqual(events);
});

it.each(["/v4", "/v4/query", "POST /v4/queries", "/v4/queries/1/2", "/v3/files", "/v3/x/y/owner"])(
  "%s is not a request of an event",
  (text) => {
    expect(() => find(text)).toThrow(`no event of the reference is caused by "${text}"`);
  },
);

it("a text that is not a request is refused, and a name is not a path", () => {
  for (const text of ["", "GET /v4 /queries", "G3T /v4"])
    expect(() => find(text)).toThrow(`${JSON.stringify(text)}: expected a path`);
  expect([isPath("/v4"), isPath("GET v4/queries"), isPath("sign_in")]).toEqual([true, true, false]);
});
