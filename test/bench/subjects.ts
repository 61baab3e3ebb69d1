import type { DuckDBConnection } from "@duckdb/node-api";
import type { Report } from "../../pipeline/base/report/find.ts";
import { listMissingParams, type GivenValues } from "../../pipeline/base/report/params.ts";
import { dayMs } from "./measure.ts";

/** The parameters of reports that need a subject: the busiest ones of 30 days. */
export async function busiestSubjects(
  connection: DuckDBConnection,
  untilMs: number,
): Promise<GivenValues> {
  // The word for the platform's own requests is no address.
  const sql = `select mode(actor_email) as "user", mode(nullif(ip_address, 'internal')) as address,
      mode(resource_name) as resource, max(job) as job, max(case when area = 'Jobs' then resource_id end) as job_id,
      max(event_key) as event, 'costs' as "table"
    from events where event_time >= $since and event_time < $until`;
  const text = (ms: number): string => new Date(ms).toISOString();
  const values = { since: text(untilMs - 30 * dayMs), until: text(untilMs) };
  const [row] = (await connection.runAndReadAll(sql, values)).getRowObjectsJson();
  return new Map(Object.entries(row!).map(([name, value]) => [name, String(value ?? "nobody")]));
}

/** The parameters of a report for the last 30 days, with a subject if it needs one. */
export function lastMonth(report: Report, untilMs: number, subjects: GivenValues): GivenValues {
  const text = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const wanted = new Map([
    ["since", text(untilMs - 30 * dayMs)],
    ["until", text(untilMs)],
    ["on", text(untilMs)],
    ["networks", "10.0.0.0/8"],
    // Timelines are read page by page.
    ["newest", "1000"],
  ]);
  const given = new Map(report.params.flatMap(({ name }) => buildEntry(wanted, name)));
  for (const { name } of listMissingParams(report, given))
    for (const [key, value] of buildEntry(subjects, name)) given.set(key, value);
  return given;
}

function buildEntry(values: GivenValues, name: string): (readonly [string, string])[] {
  const value = values.get(name);
  return value === undefined ? [] : [[name, value]];
}
