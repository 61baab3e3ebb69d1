import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { listConfirmable } from "../../../../../pipeline/core/store/ledger/coverage.ts";

const hourMs = 3_600_000;

/** Where a window of an hour is split whose seconds hold so many records, as it came in pages of those sizes. */
async function readSplit(
  seconds: readonly number[],
  pages: readonly number[],
  more: string,
): Promise<number | undefined> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`create table window_reads as
    select 'r' as read_id, 's' as source, epoch_ms(0) as window_start, epoch_ms(${hourMs}) as window_end,
      epoch_ms(${hourMs}) as read_at, 'closed' as state, 0 as withheld, []::varchar[] as signs, 1 as parts,
      ${seconds.reduce((a, b) => a + b)} as fetched, 0 as outside, false as neutral, false as is_mark;
    create table ingest_pages as select 'r' as read_id, unnest([${pages.join()}]) as fetched;
    create table event_rows as select 's' as source, epoch_ms((1000 * s)::bigint) as event_time
      from (select unnest([${seconds.join()}]) as n, unnest(range(${seconds.length})) as s), range(n);
    ${more}`);
  const found = await listConfirmable(connection, "s", [{ startMs: 0, endMs: hourMs }], 100);
  connection.closeSync();
  instance.closeSync();
  expect([...found.keys()]).toEqual([0]);
  return found.get(0)!.splitMs;
}

const six = [1, 1, 1, 1, 1, 1];

test.each([
  ["in the middle where no side fills its pages", [4, 1, 1, 4], [7, 3], "", 2000],
  ["beside the middle where sides would fill their pages there", six, [3, 2, 1], "", 4000],
  ["in the middle where sides fill their pages everywhere", six, [1, 1, 1, 1, 1, 1], "", 3000],
  ["between two records", [1, 1], [2], "", 1000],
  ["nowhere where one second has all", [6], [6], "", undefined],
  [
    "nowhere where it was asked for in two parts",
    six,
    [3, 3],
    "update window_reads set parts = 2",
    undefined,
  ],
])("a window is split %s", async (_, seconds, pages, more, second) => {
  expect(await readSplit(seconds, pages, more)).toBe(second);
});
