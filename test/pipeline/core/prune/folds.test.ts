import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { foldDue } from "../../../../pipeline/core/store/derived.ts";
import { prepareLoad } from "../../../../pipeline/core/store/loading/finish.ts";
import { applyPrune, countOldRows } from "../../../../pipeline/core/store/prune.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

const now = (): number => Date.UTC(2026, 10, 1);

// They are in all derived tables: jobs, active days, sightings, ids with several events, permissions.
const listEvents = (day: number): object[] => {
  const time = Date.UTC(2026, 2, day) / 1000;
  const user = { user_id: 7, email: "a@example.com" };
  const job = { resource_id: `${day}`, resource_name: "db1.j", ...user };
  const ended = { attribute_name: "status", new_value: "success" };
  const policy = { resource_id: "5", resource_name: "Readers", ...user };
  return [
    { time, id: `in-${day}`, event_name: "sign_in", ...user },
    { time, id: `same-${day}`, event_name: "sign_out", ...user },
    { time: time + 1, id: `same-${day}`, event_name: "sign_out", ...user },
    { time, id: `job-${day}`, event_name: "job_issue", query_text: "select 1", ...job },
    { time: time + 2, id: `end-${day}`, event_name: "job_modify", ...ended, ...job },
    { time, id: `policy-${day}`, event_name: "permission_policy_create", ...policy },
  ];
};

const sums = ["sighting_rows", "active_day_rows"];
const folded = [...sums, "job_rows", "id_conflict_rows", "access_event_rows"];

type Folded = Record<string, unknown>;

// Except the origin of the event: that was another file.
const listColumns = (table: string): string =>
  table === "access_event_rows" ? "* exclude (read_id, record_number)" : "*";

async function foldedIn(connection: DuckDBConnection): Promise<Folded> {
  const found: Folded = {};
  for (const table of folded) {
    const sql = `select ${listColumns(table)} from ${table} order by all`;
    found[table] = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  }
  return found;
}

async function foldedAt(home: TestHome): Promise<Folded> {
  let found: Folded = {};
  await inWarehouse(home, async (connection) => void (found = await foldedIn(connection)));
  return found;
}

it("aggregates after a prune equal those of the remaining events alone", async () => {
  using home = await homeWithWarehouse();
  using young = await homeWithWarehouse();
  await home.load([...listEvents(1), ...listEvents(9)], { now });
  await young.load(listEvents(9), { now });
  const [whole, expected] = [await foldedAt(home), await foldedAt(young)];
  for (const table of folded) expect([table, expected[table]]).not.toEqual([table, []]);
  const scope = { before: "2026-03-05 00:00:00", source: null };
  const totals = { readIds: [], events: 6, quarantined: 0 };
  const prune = { ...scope, ...totals, prunedAt: "2026-11-01 00:00:00", withEvents: true };
  await inWarehouse(home, async (connection) => {
    await prepareLoad(connection);
    const going = async (keepsFolds: boolean): Promise<number> =>
      (await countOldRows(connection, scope, keepsFolds)).events;
    // The events of the job alone and the sign-in are deleted if the rest is retained.
    expect([await going(false), await going(true)]).toEqual([6, 3]);
    // For a lake with the rest, events of permissions and of ambiguous ids stay, and sums continue.
    await applyPrune(connection, { ...prune, pruneId: "p1", keepsFolds: true });
    const kept = await foldedIn(connection);
    for (const table of folded)
      expect([table, kept[table]]).toEqual([
        table,
        (table === "job_rows" ? expected : whole)[table],
      ]);
    await applyPrune(connection, { ...prune, pruneId: "p2", keepsFolds: false });
    expect(await foldedIn(connection)).toEqual(expected);
    await foldDue(connection);
    expect(await foldedIn(connection)).toEqual(expected);
  });
});
