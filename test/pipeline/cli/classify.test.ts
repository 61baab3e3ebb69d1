import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadRecords, type Loaded } from "../../support/load-records.ts";
import type { Case } from "./classification/case.ts";
import { denials, results } from "./classification/denials.ts";
import { documented } from "./classification/documented.ts";
import {
  aliases,
  generations,
  onlyCurrent,
  sharedNames,
  triggers,
  unknowns,
} from "./classification/names.ts";
import {
  fallbacks,
  files,
  parameters,
  undocumented,
  wildcards,
} from "./classification/requests.ts";
import { unlisted } from "./classification/unlisted.ts";

// Every documented operation in every disguise through the real import, in one load and one query. What is
// expected comes from the typed catalog and from rules written out beside the cases, not from the SQL.

const groups: Readonly<Record<string, readonly Case[]>> = {
  "every documented operation in every disguise": documented,
  "the 17 shared names by their path": generations,
  "current events by name": onlyCurrent,
  "old and alternative names": aliases,
  "a wildcard at any depth": wildcards,
  "operations that are not documented": undocumented,
  "triggers and operations not shown": triggers,
  "unknown names": unknowns,
  "names of tomorrow": unlisted,
  "denied results": denials,
  "other results": results,
  "older field names": fallbacks,
  "what may stand in a path": [...parameters, ...files],
};
const cases = Object.values(groups).flat();

let loaded: Loaded;
let rows: Record<string, unknown>[];
beforeAll(async () => {
  const records = cases.map(({ record }, i) => ({
    time: 1767225600 + i,
    session_id: i,
    ...record,
  }));
  loaded = await loadRecords(records, []);
  const reader = await loaded.connection.runAndReadAll(
    `select canonical_name, variant, area, generation, operation, catalog_match, denial_kind, outcome
     from events order by cast(session_id as integer)`,
  );
  rows = reader.getRowObjects();
});
afterAll(() => loaded?.close());

it("classification stores every record", () => {
  expect(rows).toHaveLength(cases.length);
  expect(documented.length).toBeGreaterThan(477 * 8);
  expect(sharedNames.length).toBeGreaterThanOrEqual(17);
});

describe.each(Object.entries(groups))("%s", (_name, group) => {
  it("is classified as the catalog says", () => {
    const wrong = group.flatMap(({ title, expected }) => {
      const found = rows[cases.findIndex((c) => c.title === title && c.expected === expected)];
      return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ title, found, expected }];
    });
    expect(group.length).toBeGreaterThan(2);
    expect(wrong).toEqual([]);
  });
});
