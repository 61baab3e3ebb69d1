export type LakeTable = {
  /**
   * Its name in the database and the lake. The database computes a view once per publication; an engine would do it for
   * each report.
   */
  readonly name: string;
  /** The day that partitions its files; without it, the table is one file set. */
  readonly day?: { readonly column: string; readonly from?: string };
  /** What its rows are sorted by. */
  readonly order: string;
  /** Columns that show quickly whether a day has changed; all, where they are left out. */
  readonly look?: readonly string[];
  /** Columns that identify a row, if others depend on them; all, if left out. */
  readonly digest?: readonly string[];
  /** Columns that identify pruned rows that came back or are still present; for tables whose rows stay. */
  readonly key?: readonly string[];
  /** The column of the event that a row begins with: with another one, the database has only a late part of it. */
  readonly firstEvent?: string;
  /**
   * True for tables with the same content for every source: a row from several ingesters counts once (trino/pinned.ts).
   */
  readonly isShared?: true;
};

const byDay = { column: "event_date" };
// Position of a record and its match: only these columns of an event can change.
const eventPlace = ["read_id", "page_number", "record_number", "entry_id", "operation_id"];
const eventText = ["event_key", ...eventPlace, "run_id", "catalog_match", "extra"];

/** What the lake holds, in the order in which it is put there. */
export const lakeTables: readonly LakeTable[] = [
  {
    name: "event_rows",
    day: byDay,
    order: "source, event_time, event_key",
    look: eventPlace,
    digest: eventText,
    key: ["event_key"],
  },
  { name: "active_day_rows", day: byDay, order: "source, user_id", key: ["source", "user_id"] },
  {
    name: "access_event_rows",
    day: byDay,
    order: "source, event_time, event_key",
    key: ["event_key"],
  },
  {
    name: "permission_mark_rows",
    day: { ...byDay, from: "cast(event_time as date)" },
    order: "source, event_time, event_key, subject_kind, subject_id, operation, object_id",
    key: ["event_key"],
  },
  {
    name: "permission_changes",
    day: byDay,
    order: "source, event_time, event_key, subject_kind, subject_id, operation, object_id",
    key: ["event_key"],
  },
  {
    name: "query_table_rows",
    day: { column: "job_date" },
    order: "source, job_id, statement_number",
    key: ["source", "job_id"],
  },
  {
    name: "query_column_rows",
    day: { column: "job_date" },
    order: "source, job_id, statement_number",
    key: ["source", "job_id"],
  },
  // After what follows from them: where a run is killed between, the next finds that jobs have changed.
  {
    name: "job_rows",
    day: { column: "activity_date" },
    order: "source, activity_time, activity_key",
    key: ["source", "job_id"],
    firstEvent: "activity_key",
  },
  { name: "permission_span_rows", order: "source, subject_kind, subject_id, valid_from" },
  { name: "access_timeline_rows", order: "source, subject_kind, subject_id, valid_from" },
  { name: "policy_right_rows", order: "source, policy_id, valid_from" },
  { name: "policy_members", order: "source, policy_id, user_id, valid_from" },
  { name: "policies", order: "source, policy_id" },
  { name: "databases", order: "source, database_id" },
  { name: "policy_permissions", order: "source, policy_id, valid_from" },
  { name: "policy_snapshots", order: "source, read_at, snapshot_id" },
  { name: "user_history", order: "source, user_id, valid_from" },
  { name: "last_known_users", order: "source, user_id" },
  { name: "user_names", order: "source, user_id, kind, name" },
  { name: "directory_readings", order: "source, read_at" },
  { name: "sighting_rows", order: "source, subject_kind, subject" },
  { name: "id_conflict_rows", order: "source, id" },
  { name: "ingest_runs", order: "source, started_at, run_id", key: ["run_id"] },
  { name: "window_reads", order: "source, read_at, read_id", key: ["read_id"] },
  { name: "ingest_windows", order: "source, window_start" },
  { name: "final_up_to", order: "source" },
  { name: "quarantine", order: "source, quarantine_key", key: ["quarantine_key"] },
  { name: "activation_runs", order: "started_at, run_id" },
  { name: "refused_rows", order: "activation, delivery, row_key" },
  { name: "delivery_runs", order: "started_at, run_id" },
  { name: "catalog_entries", order: "entry_id", isShared: true },
  { name: "catalog_operations", order: "event_name, area, variant, verb, path", isShared: true },
  { name: "catalog_columns", order: "event_name, area, variant, position", isShared: true },
  { name: "catalog_denied_results", order: "area, event_result", isShared: true },
  { name: "operation_texts", order: "operation_id", isShared: true },
  { name: "timezone_offset_rows", order: "timezone, valid_from", isShared: true },
];
