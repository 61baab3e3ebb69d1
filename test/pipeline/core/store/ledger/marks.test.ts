import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { readAsset } from "../../../../../pipeline/base/home/assets.ts";
import { openInMemory } from "../../../../../pipeline/core/store/open.ts";
import { listOverdue } from "../../../../../pipeline/core/store/ledger/marks.ts";
import { splitStatements } from "../../../../../pipeline/base/sql/statements.ts";
import { insert, zeros } from "../../../../queries/ledger.ts";
import { dayMs, stamp } from "../../../../queries/oracle/rows.ts";

const start = Date.UTC(2026, 2, 1);
const getDay = (n: number): number => start + n * dayMs;

// A day each: the first by a backfill, and an unreadable one.
const states = ["open", "open", "finalized", "closed", undefined, "open", "accepted", "open"];
const overdue = (beforeMs: number, withUnread: boolean): number[] =>
  states.flatMap((state, day) => {
    const isDue = state === undefined ? withUnread : state === "open" || state === "closed";
    return isDue && day > 0 && getDay(day) < beforeMs ? [day] : [];
  });

async function fill(connection: DuckDBConnection): Promise<void> {
  await connection.run(readAsset("schemas/tables/001_ledger.sql"));
  const views = splitStatements(readAsset("queries/views/ledger.sql"));
  await connection.run(views.find((sql) => sql.includes("view read_stretches"))!);
  await insert(connection, "ingest_runs", ["backfill", "ingest"].map(buildRun));
  const reads = states.flatMap((state, day) =>
    state === undefined ? [] : [buildRead("a", day, state)],
  );
  await insert(connection, "window_reads", [...reads, buildRead("b", 1, "open")]);
}

const buildRun = (command: string): Record<string, string | number> => ({
  run_id: command,
  source: "a",
  command,
  started_at: stamp(start),
  outcome: "completed",
  catalog_version: "",
  tool_version: "",
  ...zeros("windows pages fetched inserted duplicate quarantined vanished requests retries bytes"),
});

const buildRead = (
  source: string,
  day: number,
  state: string,
): Record<string, string | number> => ({
  read_id: `${source}${day}`,
  run_id: day === 0 ? "backfill" : "ingest",
  source,
  window_start: stamp(getDay(day)),
  window_end: stamp(getDay(day + 1)),
  read_at: stamp(getDay(day + 1)),
  state,
  digest: "",
  evidence: "[]",
  signs: "[]",
  ...zeros("pages fetched inserted duplicate quarantined vanished outside neutral parts"),
  ...zeros("next_followed half_asked is_mark"),
});

it("marks include the windows that scheduled runs requested and are not final, before a moment", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  await fill(connection);
  for (const withUnread of [true, false])
    for (const day of [-40_000, ...states.keys(), 9])
      for (const beside of [-1, 0, 1]) {
        const beforeMs = getDay(day) + beside;
        const found = await listOverdue(connection, "a", beforeMs, withUnread);
        const days = found.flatMap(({ startMs, endMs }) =>
          states.flatMap((_, n) => (startMs <= getDay(n) && getDay(n) < endMs ? [n] : [])),
        );
        const place = { withUnread, day, beside };
        expect({ ...place, days }).toEqual({ ...place, days: overdue(beforeMs, withUnread) });
      }
});
