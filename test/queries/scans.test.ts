import type { DuckDBConnection } from "@duckdb/node-api";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../pipeline/report/find.ts";
import type { Given } from "../../pipeline/report/params.ts";
import { temporaryFolder } from "../support/load.ts";
import { thresholds } from "./oracle/cases.ts";
import { reports } from "./run.ts";
import { longHistory, rowsInGroup, scannedRows } from "./scans/home.ts";

// A report over three days reads the row groups of those days, and of the days before that it compares with, however
// long the history is.
const folder = temporaryFolder();
const days = { since: "2025-08-10", until: "2025-08-13", on: "2025-08-13", days: "2" };
let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await longHistory(join(folder.path, "long.duckdb"));
});
afterAll(() => {
  connection.closeSync();
  folder.remove();
});

// Tables that grow with the events; a user's active days and what is held are few beside them.
const events = ["event_rows", "job_rows", "query_table_rows", "query_column_rows"];
const changes = ["access_event_rows", "permission_mark_rows"];

// Who holds what follows from all changes ever made: these read the tables of changes whole, and no events for it.
const aboutHolding = new Set([
  "database_access",
  "effective_permissions",
  "full_access_holders",
  "permission_drift",
  "unheld_policies",
  "unused_grants",
  "user_permissions",
  // What touched somebody, also through the policies that they belonged to.
  "user_timeline",
  // Whether the policy gave full access at that moment.
  "full_access_granted",
  // Who belonged to the policy at that moment.
  "grant_then_download",
  "self_grants",
]);

test.each(reports.map((report) => [report.name, report] as const))("%s", async (name, report) => {
  const scanned = await scannedRows(connection, report, givenFor(report));
  const bounded = aboutHolding.has(name) ? events : [...events, ...changes];
  const read = [...scanned].filter(([table]) => bounded.includes(table));
  // Five days lie in two groups at most.
  expect(read.filter(([, rows]) => rows > 2 * rowsInGroup)).toEqual([]);
});

test("every table has many more groups than a report may read", async () => {
  for (const table of [...events, ...changes]) {
    const reader = await connection.runAndReadAll(`select count(*) from ${table}`);
    expect(Number(reader.getRows()[0]![0]), table).toBeGreaterThan(5 * rowsInGroup);
  }
});

function givenFor({ name, params }: Report): Given {
  const known = { ...thresholds[name], ...days };
  const used = Object.entries(known).filter(([key]) => params.some((param) => param.name === key));
  return new Map(used.map(([key, value]) => [key, String(value)]));
}
