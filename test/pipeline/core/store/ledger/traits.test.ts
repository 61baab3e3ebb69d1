import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { readTraits } from "../../../../../pipeline/core/store/ledger/coverage.ts";

// Reads of one source, by when they came; each shows one trait more.
const reads = `
  ('r1', 'f', '2026-01-01', false, null, 0, false), ('r2', 'f', '2026-01-02', true, 7, 0, false),
  ('r3', 'f', '2026-01-03', false, 5, 9, false), ('r4', 'f', '2026-01-04', false, null, 0, true),
  ('other', 'g', '2026-01-01', true, 1, 1, true)`;

it("the traits are what reads of one form have shown, all of them or those before one", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`create table window_reads as
    select 's' as source, read_id, form, read_at::timestamp as read_at, next_followed,
      smallest_followed::integer as smallest_followed, fetched, half_asked
    from (values ${reads}) as t(read_id, form, read_at, next_followed, smallest_followed, fetched, half_asked)`);
  const before = (day: number) => ({ seenAt: `2026-01-0${day} 00:00:00`, readId: `r${day}` });
  const none = {
    isNextSeen: false,
    smallestFollowed: undefined,
    hasGiven: false,
    isHalfAsked: false,
  };
  expect(await readTraits(connection, "s", "f", before(1))).toEqual(none);
  expect(await readTraits(connection, "s", "f", before(2))).toEqual(none);
  const followed = { ...none, isNextSeen: true, smallestFollowed: 7 };
  expect(await readTraits(connection, "s", "f", before(3))).toEqual(followed);
  const given = { ...followed, smallestFollowed: 5, hasGiven: true };
  expect(await readTraits(connection, "s", "f", before(4))).toEqual(given);
  expect(await readTraits(connection, "s", "f")).toEqual({ ...given, isHalfAsked: true });
  expect(await readTraits(connection, "else", "f")).toEqual(none);
  connection.closeSync();
  instance.closeSync();
});
