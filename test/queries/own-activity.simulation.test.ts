import { expect, test } from "vitest";
import { loadRecords } from "../support/load-records.ts";
import { reports, runReport } from "./run.ts";

// Reading the audit log is an event of the audit log: every run of the account that auditlake uses is in it.

const collector = { id: 4711, email: "collector@example.com" };
const day = Date.UTC(2026, 2, 2) / 1000;
const own = (time: number): Record<string, unknown> => ({
  time,
  event_name: "audit_log_download",
  requested_http_verb: "GET",
  requested_path_info: "/v4/audits",
  user_id: collector.id,
  user_email: collector.email,
  ip_address: "192.0.2.1",
});

// Who is active, who reads the log, and what was first seen are shown for everyone, also for the account that reads the
// log.
const aboutAnyone = new Set(["active_users", "audit_log_downloads", "first_seen", "new_addresses"]);

test("no report treats the scheduled runs as misbehaviour of a user", async () => {
  const runTimes = Array.from({ length: 14 }, (_, n) => day + n * 86_400 + 2 * 3600);
  // Five windows, several pages each.
  const records = runTimes.flatMap((time) => Array.from({ length: 20 }, (_, i) => own(time + i)));
  const { connection, close } = await loadRecords(records, [collector]);
  try {
    const given = new Map([
      ["since", "2026-03-01"],
      ["until", "2026-04-01"],
      ["on", "2026-04-01"],
    ]);
    const named: string[] = [];
    for (const report of reports.filter(({ name }) => !aboutAnyone.has(name))) {
      const params = report.params.map(({ name }) => name);
      const fitting = new Map([...given].filter(([name]) => params.includes(name)));
      const { rows } = await runReport(connection, report, fitting);
      if (/4711|collector/.test(JSON.stringify(rows))) named.push(report.name);
    }
    expect(named).toEqual([]);
    const known = await connection.runAndReadAll(
      "select distinct actor_email, catalog_match from events",
    );
    expect(known.getRows()).toEqual([[collector.email, "documented_operation"]]);
  } finally {
    await close();
  }
});
