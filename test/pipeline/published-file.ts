import { DuckDBInstance } from "@duckdb/node-api";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAsset, getAssetPath } from "../../pipeline/base/home/assets.ts";
import { views } from "../../schemas/views.ts";
import { temporaryFolder } from "../support/load.ts";

let empty: Promise<Buffer> | undefined;

/** Writes a small database of the published form, and runs the given statements on it. */
export async function writePublished(path: string, statements: readonly string[]): Promise<void> {
  writeFileSync(path, await (empty ??= makeEmpty()));
  await runOn(path, statements);
}

// Made once for all files of this process: that takes longer than most tests that use it.
async function makeEmpty(): Promise<Buffer> {
  const { path: folder, remove } = temporaryFolder();
  const path = join(folder, "empty.duckdb");
  const tables = readdirSync(getAssetPath("schemas/tables")).sort();
  const files = [
    ...tables.map((file) => `schemas/tables/${file}`),
    "schemas/generated/catalog.sql",
    ...views.map((view) => `queries/views/${view}.sql`),
  ];
  await runOn(path, files.map(readAsset));
  const bytes = readFileSync(path);
  remove();
  return bytes;
}

async function runOn(path: string, statements: readonly string[]): Promise<void> {
  const options = { storage_compatibility_version: "v1.5.0", threads: "1" };
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  for (const sql of ["set TimeZone = 'UTC'", ...statements, "checkpoint"])
    await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/** An event for a test; times as `2026-11-01 00:00:00`. */
type TestEvent = {
  readonly time: string;
  readonly name: string;
  readonly source?: string;
  readonly runId?: string;
  readonly readId?: string;
  readonly seenAt?: string;
  /** The event of the catalog that the name refers to; null if there is none. */
  readonly canonical?: string | null;
  readonly match?: string;
  readonly verb?: string;
  readonly path?: string;
  readonly extra?: unknown;
};

/** The statement that inserts events. */
export function insertEvents(events: readonly TestEvent[]): string {
  const rows = events.map((event, index) =>
    [
      index,
      event.source ?? "default",
      event.runId ?? "r1",
      event.readId ?? "w1",
      event.seenAt ?? "2026-12-01 00:00:00",
      event.time,
      event.name,
      event.canonical === undefined ? event.name : event.canonical,
      event.match ?? "documented_operation",
      event.verb ?? null,
      event.path ?? null,
      event.extra === undefined ? null : JSON.stringify(event.extra),
    ]
      .map((value) => (value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`))
      .join(", "),
  );
  return `
    insert into event_rows (event_key, source, window_start, run_id, first_seen_at, read_id,
      page_number, record_number,
      event_time, event_date, event_name, entry_id, catalog_match, requested_http_verb,
      requested_path_info, extra)
    select
      md5(i || source || time)::uuid, source, date_trunc('day', time::timestamp), run_id,
      seen_at::timestamp, read_id, 0, i::integer, time::timestamp, time::date, name,
      (select min(entry_id) from catalog_entries where event_name = canonical), match, verb, path, extra
    from (values ${rows.map((row) => `(${row})`).join(", ")})
      as e(i, source, run_id, read_id, seen_at, time, name, canonical, match, verb, path, extra)`;
}

/** The statement that inserts many equal events, one a second from the start of 2026. */
export function insertManyEvents(count: number): string {
  return `
    insert into event_rows (event_key, source, window_start, run_id, first_seen_at, read_id,
      page_number, record_number,
      event_time, event_date, event_name, entry_id, catalog_match)
    select md5(i::varchar)::uuid, 'default', timestamp '2026-01-01', 'r1', timestamp '2026-01-02',
      'w1', 0, i, timestamp '2026-01-01' + to_seconds(i), date '2026-01-01', 'job_issue',
      (select min(entry_id) from catalog_entries where event_name = 'job_issue'), 'documented_operation'
    from range(${count}) as t(i)`;
}
