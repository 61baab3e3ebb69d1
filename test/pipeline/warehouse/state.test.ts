import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { stateAfter } from "../../../pipeline/warehouse/ledger.ts";
import type { ReadFacts, ReadResult } from "../../../pipeline/warehouse/load.ts";

const read: ReadFacts = {
  readId: "b",
  runId: "b",
  source: "s",
  windowStart: "2026-03-01 00:00:00",
  windowEnd: "2026-03-02 00:00:00",
  windowMs: 86_400_000,
  seenAt: "2026-03-05 00:00:00",
};
const nothing: ReadResult = {
  pages: [],
  fetched: 4,
  inserted: 0,
  duplicate: 4,
  quarantined: 0,
  vanished: 2,
  outside: 0,
  doubtful: 0,
  digest: "d",
};
const finalizedBy = { readId: "a", seenAt: "2026-03-04 00:00:00" };

it.each([
  ["finalized", "what only vanished", {}, "2026-03-03 00:00:00"],
  ["closed", "what is new", { inserted: 1, duplicate: 3 }, "2026-03-03 00:00:00"],
  ["closed", "what is unreadable", { quarantined: 1, duplicate: 3 }, "2026-03-03 00:00:00"],
  ["closed", "what may be new", { doubtful: 1 }, "2026-03-03 00:00:00"],
  ["closed", "what came by another read", {}, "2026-03-04 12:00:00"],
])("a finalized window is %s after %s", async (expected, _what, more, firstSeenAt) => {
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `create table event_rows as
     select 's' as source, 'x' as read_id, timestamp '2026-03-01 10:00:00' as event_time,
       timestamp '${firstSeenAt}' as first_seen_at`,
  );
  const verdict = { state: "closed", agrees: false, finalizedBy } as const;
  expect(await stateAfter(connection, read, verdict, { ...nothing, ...more })).toBe(expected);
  connection.closeSync();
});
