import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { readStoredResult } from "../../../../../pipeline/core/store/ledger/previous.ts";

// Pages as they were counted when they came first: how many records, and how many of them no event could be made of.
const pages = [
  [1000, 0],
  [1000, 3],
  [500, 500],
  [0, 0],
] as const;

test("an unchanged repeated read has only duplicates and previously quarantined records", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const rows = pages.map(([fetched, bad], i) => `('r1', ${i}, 'sha${i}', 10, ${fetched}, ${bad})`);
  await connection.run(
    `create table ingest_pages as
       from (values ${rows.join(", ")}, ('r2', 0, 'other', 10, 7, 7))
       as p(read_id, page, sha256, bytes, fetched, quarantined)`,
  );
  const again = {
    readId: "r1",
    seenAt: "2026-03-01T00:00:00Z",
    digest: "d",
    outside: 1,
    ambiguous: 2,
    missing: 3,
    unshown: "[]",
  };
  const result = await readStoredResult(connection, again);
  expect(result.pages.map(({ fetched, quarantined }) => [fetched, quarantined])).toEqual(pages);
  for (const counts of [result, ...result.pages]) {
    expect(counts.inserted).toBe(0);
    expect(counts.duplicate + counts.quarantined).toBe(counts.fetched);
  }
  expect(result).toMatchObject({ fetched: 2500, duplicate: 1997, quarantined: 503, missing: 3 });
  connection.closeSync();
  instance.closeSync();
});
