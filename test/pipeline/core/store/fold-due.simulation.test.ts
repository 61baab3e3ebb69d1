import { DuckDBConnection } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import { foldDue, foldingFiles } from "../../../../pipeline/core/store/derived.ts";
import { runFile, runFiles } from "../../../../pipeline/base/sql/statements.ts";
import { fewOrAll } from "../../../fault/length.ts";
import { compareIn } from "../../../queries/folds/all.ts";
import { makeHistory } from "../../../queries/folds/history.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

// The records of many reads are aggregated several reads to a commit.

const allDue = `insert into fold_due (read_id, first_event_time, last_event_time, events)
  select read_id, min(event_time), max(event_time), count(*) from event_rows group by read_id`;

async function makeAllDue(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/derived/empty.sql");
  await connection.run(allDue);
  await runFile(connection, "queries/derived/access_due.sql#all");
}

/** How many reads are due, and of how many events. */
async function dueIn(connection: DuckDBConnection): Promise<readonly [number, number]> {
  const sql = "select count(*) as reads, coalesce(sum(events), 0) as events from fold_due";
  const [row] = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return [Number(row!["reads"]), Number(row!["events"])];
}

/** Has the nth statement of a connection fail, and all after it; returns whether the work got as far. */
async function failingAt(
  connection: DuckDBConnection,
  nth: number,
  work: () => Promise<void>,
): Promise<boolean> {
  let left = nth;
  const run = vi.spyOn(connection, "run").mockImplementation((sql, ...rest) => {
    if (--left <= 0 && sql !== "rollback") return Promise.reject(new Error("broken off"));
    return DuckDBConnection.prototype.run.call(connection, sql, ...rest);
  });
  try {
    await work();
    return false;
  } catch {
    return true;
  } finally {
    run.mockRestore();
  }
}

it("aggregates are equal for any size of commits and any interrupt", async () => {
  using home = await homeWithWarehouse();
  for (const seed of [1, 2, 3])
    expect(await home.load(makeHistory(seed, "default", 40))).toMatchObject({ code: 0 });
  await inWarehouse(home, async (connection) => {
    await runFiles(connection, foldingFiles);
    await makeAllDue(connection);
    const [reads, events] = await dueIn(connection);
    expect(reads).toBeGreaterThan(2);
    for (const mostEvents of fewOrAll(
      [1, events - 1],
      [1, Math.ceil(events / 2), events - 1, events],
    )) {
      await makeAllDue(connection);
      await foldDue(connection, undefined, mostEvents);
      expect(await dueIn(connection)).toEqual([0, 0]);
      await compareIn(connection, `with ${mostEvents} events to a commit`);
    }
    for (let at = 1; ; at += fewOrAll(60, 1)) {
      await makeAllDue(connection);
      const isBroken = await failingAt(connection, at, () => foldDue(connection, undefined, 1));
      await foldDue(connection, undefined, 1);
      await compareIn(connection, `broken off at statement ${at}`);
      if (!isBroken) break;
    }
  });
});

it("a commit that reaches its limit leaves the reads with the latest start pending", async () => {
  using home = await homeWithWarehouse();
  await inWarehouse(home, async (connection) => {
    await connection.run(`insert into fold_due values
      ('c', '2026-03-03', '2026-03-04', 10), ('a', '2026-03-01', '2026-03-04', 10),
      ('b', '2026-03-02', '2026-03-02', 10), ('d', '2026-03-02', '2026-03-02', 99)`);
    for (const [mostEvents, left] of [
      [1, ["a"]],
      [19, ["a"]],
      [20, ["a", "b"]],
      [118, ["a", "b"]],
      [119, ["a", "b", "d"]],
      [128, ["a", "b", "d"]],
      [129, ["a", "b", "c", "d"]],
    ] as const) {
      await runFile(connection, "queries/load/fold_due.sql#postpone", { most_events: mostEvents });
      const due = await connection.runAndReadAll("select read_id from fold_due order by read_id");
      expect(due.getRows().flat(), String(mostEvents)).toEqual(left);
      await connection.run("insert into fold_due select * from postponed_due");
    }
  });
});
