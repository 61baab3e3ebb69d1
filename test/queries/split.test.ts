import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../pipeline/base/report/find.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { type Database, openPublished } from "../../pipeline/core/store/open.ts";
import { readingTexts } from "../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import { reports, runReport } from "./run.ts";

// A range includes its first moment and excludes its last: two adjacent ranges together equal the whole one.
const golden = fileURLToPath(new URL("../../fixtures/golden/", import.meta.url));
let home: TestHome;
let database: Database;

beforeAll(async () => {
  home = await homeWithWarehouse();
  const argv = ["import", `${golden}records.ndjson`, "--users", `${golden}users.json`];
  expect(await home.run(argv, { env: readingTexts })).toMatchObject({ code: 0 });
  database = await openPublished(resolveHome(home.home).published, { memoryLimit: "500MB" });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

// Each row of these describes one event or job, regardless of the rest of the range.
const lists = [
  "account_changes",
  "administrator_changes",
  "api_key_events",
  "connection_changes",
  "database_shares",
  "denials_list",
  "destructive_statements",
  "invitations",
  "killed_and_failed_jobs",
  "large_downloads",
  "permission_changes_list",
  "permission_edits_list",
  "policy_membership",
  "saved_query_changes",
  "workflow_http_calls",
  "workflow_mails",
  "zero_copy_changes",
];
const [first, last] = ["2026-03-02 00:00:00", "2026-03-05 00:00:00"];

const readRows = async (report: Report, since: string, until: string): Promise<string[]> => {
  const given = new Map([
    ["since", since],
    ["until", until],
    ["bytes", "1"],
    ["times", "1"],
  ]);
  const known = report.params.map(({ name }) => name);
  const asked = new Map([...given].filter(([name]) => known.includes(name)));
  const { rows } = await runReport(database.connection, report, asked);
  return rows.map((row) => JSON.stringify(row));
};

// Two of them, for any report: each takes two questions.
const momentsIn = (rows: readonly string[]): string[] => {
  const found = rows.flatMap((row) => row.match(/2026-03-0[234] \d\d:\d\d:\d\d(?:\.\d+)?/g) ?? []);
  const all = [...new Set(found)].toSorted();
  return [...new Set([all[all.length >> 1]!, all.at(-1)!])];
};

test.each(lists)("%s over two adjacent ranges equals one over both", async (name) => {
  const report = reports.find((one) => one.name === name)!;
  const whole = await readRows(report, first, last);
  expect(whole).not.toEqual([]);
  for (const middle of momentsIn(whole)) {
    const parts = [await readRows(report, first, middle), await readRows(report, middle, last)];
    expect([middle, parts.flat().toSorted()]).toEqual([middle, whole.toSorted()]);
  }
});
