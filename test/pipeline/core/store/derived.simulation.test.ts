import { DuckDBConnection } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import { getMessage } from "../../../../pipeline/base/errors.ts";
import { foldDue, foldingFiles, foldWhereStale } from "../../../../pipeline/core/store/derived.ts";
import { runFiles } from "../../../../pipeline/base/sql/statements.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { compareFolds } from "../../../queries/folds/all.ts";
import { makeHistory } from "../../../queries/folds/history.ts";
import { fewOrAll } from "../../../fault/length.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";

// The rules by which stored tables were aggregated are recorded beside them.

const activeDays = "select count(*) from active_day_rows";
const activeRows = "select source, user_id, event_date, events from active_day_rows order by all";
const versions = "select derived_version from derived_versions";

/** Publishes after a change of the warehouse. */
async function after(home: TestHome, statement: string): Promise<void> {
  await inWarehouse(home, async (connection) => void (await connection.run(statement)));
  expect(await home.run(["publish"])).toMatchObject({ code: 0 });
}

it("tables of other aggregation rules are rebuilt, and those of the current rules are not", async () => {
  using home = await homeWithWarehouse();
  expect(await home.load(makeHistory(1, "default", 40))).toMatchObject({ code: 0 });
  const [noted, days] = [await home.rows(versions), await home.count(activeDays)];
  expect(noted).toHaveLength(1);
  expect(days).toBeGreaterThan(0);

  await after(home, "delete from active_day_rows");
  expect(await home.count(activeDays)).toBe(0);

  await after(home, "update derived_versions set derived_version = 'other'");
  await compareFolds(home, "after other rules");
  expect(await home.count(activeDays)).toBe(days);
  expect(await home.rows(versions)).toEqual(noted);
});

it("an aggregation starts over after an interrupt at any statement", async () => {
  using home = await homeWithWarehouse();
  expect(await home.load(makeHistory(2, "default", 40))).toMatchObject({ code: 0 });
  const days = await home.rows(activeRows);
  await inWarehouse(home, async (connection) => {
    await runFiles(connection, foldingFiles);
    const [noted] = await queryRows(connection, versions);
    await connection.run("update derived_versions set derived_version = 'other'");
    for (let at = 1; ; at += fewOrAll(4, 1)) {
      const stop = new AbortController();
      const print = (): void => undefined;
      const done = await abortingAt(connection, at, stop, () =>
        foldWhereStale(connection, { print, signal: stop.signal }),
      );
      if (done === "done") {
        expect(at).toBeGreaterThan(10);
        break;
      }
      expect(done).toMatch(/^interrupted: the next writing run rebuilds the derived tables/);
      expect(await queryRows(connection, versions)).not.toContainEqual(noted);
    }
    expect(await queryRows(connection, activeRows)).toEqual(days);
  });
  await compareFolds(home, "after the interrupts");
});

// An asof join with a null takes the last row for it where more than 64 rows are joined (seen with DuckDB 1.5.6).
it("a snapshot of many permissions shows each until other evidence", async () => {
  using home = await homeWithWarehouse();
  expect(await home.load(makeHistory(1, "default", 5))).toMatchObject({ code: 0 });
  await inWarehouse(home, async (connection) => {
    await connection.run(`
      insert into policy_snapshots (snapshot_id, source, policy_id, read_at, state, permissions)
      values ('s1', 'default', '900', '2026-03-01', 'present', 100), ('s2', 'default', '900', '2026-03-02', 'present', 100);
      insert into policy_permission_rows
      select 'default', '900', 'Databases', 'query', cast(id as varchar), null, null, '2026-03-01', null, '2026-03-02', 's1'
      from range(100) as ids (id);
      insert into access_due values ('default', 'policy', '900');
    `);
    await runFiles(connection, foldingFiles);
    await foldDue(connection);
    const sql = `select count(*) as rights from access_timeline_rows
      where subject_id = '900' and evidence = 'seen' and valid_to is null`;
    expect(await queryRows(connection, sql)).toEqual([{ rights: "100" }]);
  });
});

// It does not end by itself before the interrupt comes, as a quick one may.
const endless = "select count(*) from range(1000000000000)";

/** Aborts while the connection is at its nth statement; returns the error's message, or `done`. */
async function abortingAt(
  connection: DuckDBConnection,
  nth: number,
  stop: AbortController,
  work: () => Promise<void>,
): Promise<string> {
  let left = nth;
  const interrupt = vi.spyOn(connection, "interrupt");
  const run = vi.spyOn(connection, "run").mockImplementation((sql, ...rest) => {
    if (--left === 0) stop.abort();
    const isStopped = left === 0 && interrupt.mock.calls.length > 0;
    return isStopped
      ? DuckDBConnection.prototype.run.call(connection, endless)
      : DuckDBConnection.prototype.run.call(connection, sql, ...rest);
  });
  try {
    await work();
    return "done";
  } catch (error) {
    return getMessage(error);
  } finally {
    run.mockRestore();
    interrupt.mockRestore();
  }
}

async function queryRows(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}
