import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EventFilters, filterColumns } from "../../pipeline/answers/events/filters.ts";
import { buildRows } from "../../pipeline/answers/events/rows.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { bindQuestion } from "../../pipeline/base/sql/bind.ts";
import type { Report } from "../../pipeline/base/report/find.ts";
import { type GivenValues, buildQuestion } from "../../pipeline/base/report/params.ts";
import { temporaryFolder } from "../support/load.ts";
import { thresholds } from "./oracle/cases.ts";
import { reports, withNeeded } from "./run.ts";
import { longHistory, rowsInGroup, type Scan, scannedRows, readScans } from "./scans/home.ts";

// A report over three days reads the row groups of those days, and of the earlier ones that it compares with. The
// length of the history does not count.
const folder = temporaryFolder();
const days = { since: "2025-08-10", until: "2025-08-13", on: "2025-08-13", days: "2", weeks: "1" };
let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await longHistory(join(folder.path, "long.duckdb"));
});
afterAll(() => {
  connection.closeSync();
  folder.remove();
});

// Tables that grow with the events; a user's active days and rights are few beside them.
const events = ["event_rows", "job_rows", "query_table_rows", "query_column_rows"];
const changes = ["access_event_rows", "permission_mark_rows"];

// Who holds what follows from all changes ever made: these reports read the tables of changes completely, and no
// events for it.
const aboutHolding = new Set([
  "database_access",
  "departed_rights",
  "effective_permissions",
  "full_access_holders",
  "permission_drift",
  "redundant_rights",
  "rights_on_gone_databases",
  "service_account_access",
  "unheld_policies",
  "unused_grants",
  "unused_rights",
  "user_permissions",
  // What concerned a user, also through the policies that they belonged to.
  "user_timeline",
  // Whether the policy gave full access at that moment.
  "full_access_granted",
  // Who belonged to the policy at that moment.
  "grant_then_download",
  "self_grant_then_download",
  "self_grants",
  // Whether a span of a right is one that was held shortly, and what a snapshot shows that no change explains.
  "short_rights_used",
  "unexplained_right",
]);

// Whether a person did something before: a report asks the whole log about the few that come into question.
const aboutBefore = new Set([
  "audit_log_read",
  "deleted_user_active",
  "dormant_account_active",
  "full_access_new_address",
  "new_http_host",
  "new_user_full_access",
  "new_script_image",
  "silent_event",
  "table_export",
  "workflow_mail_outside",
]);

// Subjects with much history: a question about an unknown one could be cheap by chance.
const subjects = {
  user: "user5@example.com",
  address: "192.0.2.5",
  resource: "db3",
  job: "127700",
};

test.each(reports.map((report) => [report.name, report] as const))(
  "%s reads only the row groups that it needs",
  async (name, report) => {
    const given = givenFor(report);
    const question = buildQuestion(report, withNeeded(report, given), 0);
    const scanned = await scannedRows(connection, bindQuestion(question));
    const notOfAll = aboutHolding.has(name) ? events : [...events, ...changes];
    const bounded = aboutBefore.has(name) ? [] : notOfAll;
    const read = [...scanned].filter(([table]) => bounded.includes(table));
    // Five days lie in two groups at most.
    expect(read.filter(([, rows]) => rows > 2 * rowsInGroup)).toEqual([]);
  },
);

const ofKey = async (file: string): Promise<Scan[]> => {
  const [row] = (
    await connection.runAndReadAll("select event_key from events where record_number = 77777")
  ).getRows();
  const key = { type: VARCHAR, value: String(row![0]) };
  const scans = await readScans(connection, { sql: file, values: { event_key: key } });
  return scans.filter(({ table }) => table === "event_rows");
};

test("an event is found by its stored key, and then read alone", async () => {
  const scans = await ofKey(readAsset("queries/pages/event/event.sql"));
  const [stored, rest] = scans.toSorted((a, b) => b.rows - a.rows);
  expect(stored!.filters).toMatch(/^event_key='[-0-9a-f]{36}'::UUID$/);
  expect(rest!.rows).toBeLessThanOrEqual(2 * rowsInGroup);
});

test("a search for a key in a view reads other columns only of its row", async () => {
  const [scan, ...others] = await ofKey("select * from events where event_key = $event_key");
  expect(others).toEqual([]);
  // The condition is at the table, before anything is joined.
  expect(scan!.filters).toContain("event_key AS BLOB");
});

const nothing = { included: [], excluded: [] };
const columns = Object.fromEntries(
  filterColumns.map((name) => [name, nothing]),
) as unknown as EventFilters["columns"];
async function search(asked: Omit<EventFilters, "columns">): Promise<Map<string, number>> {
  const [startMs, endMs] = [days.since, days.until].map((day) => Date.parse(day));
  const range = { startMs: startMs!, endMs: endMs! };
  return scannedRows(connection, buildRows({ columns, ...asked }, range, 101));
}

test("a search reads the row groups of its days, and of the tables those of its results", async () => {
  const found = await search({});
  expect(found.get("event_rows")).toBeLessThanOrEqual(2 * rowsInGroup);
  expect(found.get("query_table_rows")).toBeLessThanOrEqual(2 * rowsInGroup);
});

test("a search by a table reads the row groups of its days, and no table of a later job", async () => {
  const found = await search({ object: "sales.orders" });
  expect(found.get("event_rows")).toBeLessThanOrEqual(2 * rowsInGroup);
  const before = `select count(*) from query_table_rows where job_date <= date '${days.until}'`;
  const reader = await connection.runAndReadAll(before);
  const most = Number(reader.getRows()[0]![0]) + rowsInGroup;
  expect(found.get("query_table_rows")).toBeLessThanOrEqual(most);
});

test("every table has many more row groups than a report may read", async () => {
  for (const table of [...events, ...changes]) {
    const reader = await connection.runAndReadAll(`select count(*) from ${table}`);
    expect(Number(reader.getRows()[0]![0]), table).toBeGreaterThan(5 * rowsInGroup);
  }
});

function givenFor({ name, params }: Report): GivenValues {
  const known = { ...thresholds[name], ...subjects, ...days };
  const used = Object.entries(known).filter(([key]) => params.some((param) => param.name === key));
  return new Map(used.map(([key, value]) => [key, String(value)]));
}
