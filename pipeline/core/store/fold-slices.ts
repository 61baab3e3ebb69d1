import type { DuckDBConnection } from "@duckdb/node-api";
import { useThreads } from "../../base/sql/instance.ts";
import { runFile, type Values } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { count, queryRows, text, truth } from "../../base/sql/typed-rows.ts";

// Refreshes the derived tables from events, one time slice after the other.

const folder = "queries/derived";

/** An interval of time, both ends included; texts as the database reads them. */
export type Slice = {
  readonly firstTime: string;
  readonly lastTime: string;
};

/**
 * Refreshes all derived tables except the access timeline from the pending events of a time range (macro `due_events`);
 * about `atOnce` events at a time, all at once without it.
 */
export async function foldTime(
  connection: DuckDBConnection,
  all: Slice,
  atOnce?: number,
): Promise<void> {
  const slices = atOnce === undefined ? [all] : await planSlices(connection, all, atOnce);
  await foldSlices(connection, all, slices);
  const shares = Math.ceil(slices.length / slicesOfIds);
  await runInShares(connection, ["id_conflict_rows.sql"], all, shares);
}

// The steps from marks, spans, snapshots and gaps to the timeline. Each is a file, named after the table it writes.
const accessSteps = [
  "access_timeline/due_series",
  "access_timeline/due_marks",
  "policy_snapshots/read_intervals",
  "policy_snapshots/logged_sets",
  "policy_snapshots/near_changes",
  "policy_snapshots/read_permissions",
  "policy_snapshots/shown_sets",
  "policy_snapshots/known_sets",
  "policy_snapshots/policy_snapshots",
  "access_timeline/due_spans",
  "access_timeline/policy_changes",
  "access_timeline/due_readings",
  "access_timeline/log_phases",
  "access_timeline/snapshot_phases",
  "access_timeline/shown_rights",
  "access_timeline/seen_rights",
  "access_timeline/logged_rights",
  "access_timeline/policy_pieces",
  "access_timeline/listed_flags",
  "access_timeline/pieces",
  "access_timeline/evidence_times",
  "access_timeline/silences",
  "access_timeline/piece_parts",
  "access_timeline/found_rights",
  "access_timeline/access_timeline_rows",
  "policy_right_rows",
].map((name) => `${name}.sql`);

/** Refreshes the access timeline if pending: it depends on the log, snapshots, the user directory and gaps. */
export async function foldAccess(connection: DuckDBConnection): Promise<void> {
  if (!(await isAccessDue(connection))) return;
  await run(connection, ["access_due.sql#gaps", ...accessSteps]);
  await connection.run("delete from access_due");
}

/** Whether something has come that the timeline of access hangs on. */
export async function isAccessDue(connection: DuckDBConnection): Promise<boolean> {
  const [due] = await queryRows(connection, `${folder}/access_due.sql#find`, { isDue: truth });
  return due!.isDue;
}

async function foldSlices(
  connection: DuckDBConnection,
  all: Slice,
  slices: readonly Slice[],
): Promise<void> {
  let hasAccess = false;
  // Most of these statements are short: a second thread takes a third more of the processor, and saves time only where
  // there are many slices.
  await useThreads(connection, slices.length > slicesInCommit ? "all" : "one");
  for (let first = 0; first < slices.length; first += slicesInCommit)
    await runInTransaction(connection, async () => {
      for (const slice of slices.slice(first, first + slicesInCommit))
        hasAccess = (await foldSlice(connection, slice)) || hasAccess;
    });
  if (hasAccess) await foldSeries(connection, all, Math.ceil(slices.length / slicesInShare));
}

// The steps from the marks of a series to its spans. Each is a file, named after the table it writes.
const spanSteps = [
  "series_marks",
  "series_moments",
  "crowded_changes",
  "crowded_seconds",
  "right_seconds",
  "right_states",
  "permission_span_rows",
].map((name) => `permission_spans/${name}.sql`);

async function foldSeries(connection: DuckDBConnection, all: Slice, shares: number): Promise<void> {
  await run(connection, ["permission_spans/former_directions.sql"]);
  await runInShares(connection, ["read_order_rows.sql"], all, shares);
  await runInTransaction(connection, () =>
    run(connection, ["permission_spans/touched_series.sql"]),
  );
  await runInShares(connection, spanSteps, all, shares);
  await runInTransaction(connection, () => run(connection, ["access_due.sql#touched"]));
}

// A commit frees memory and takes some time.
const slicesInCommit = 8;

// What hangs on pages or on series of changes takes no slice of time: as much as in so many slices is done at once.
const slicesInShare = 2;
// Of ids more: each share reads the hashes of all.
const slicesOfIds = 5;

async function runInShares(
  connection: DuckDBConnection,
  steps: readonly string[],
  all: Slice,
  shares: number,
): Promise<void> {
  for (let share = 0; share < shares; share++)
    for (const step of steps)
      await runFile(connection, `${folder}/${step}`, { ...toValues(all), shares, share });
}

// The steps from the new events to the marks. Each is a file, named after the table it writes.
const markSteps = [
  "permission_marks/due_access_events",
  "permission_marks/permission_edits",
  "permission_marks/edit_elements",
  "permission_marks/edit_rights",
  "permission_marks/permission_mark_rows",
  "access_event_rows",
].map((name) => `${name}.sql`);

// Returns whether the slice has events that affect permission intervals.
async function foldSlice(connection: DuckDBConnection, slice: Slice): Promise<boolean> {
  const shape = { hasJobs: truth, hasAccess: truth };
  const path = `${folder}/actors.sql`;
  const [found] = await queryRows(connection, path, shape, toValues(slice));
  if (found!.hasJobs) await run(connection, ["touched_jobs.sql", "jobs.sql"], slice);
  if (found!.hasAccess) await run(connection, markSteps, slice);
  return found!.hasAccess;
}

async function planSlices(
  connection: DuckDBConnection,
  all: Slice,
  atOnce: number,
): Promise<Slice[]> {
  const shape = { firstTime: text, lastTime: text, events: count };
  const path = `${folder}/due_events.sql#hours`;
  const slices: Slice[] = [];
  let held = Number.POSITIVE_INFINITY;
  for (const hour of await queryRows(connection, path, shape, toValues(all))) {
    const isFull = held + hour.events > atOnce;
    const { firstTime } = isFull ? hour : slices.pop()!;
    slices.push({ firstTime, lastTime: hour.lastTime });
    held = isFull ? hour.events : held + hour.events;
  }
  return slices;
}

async function run(
  connection: DuckDBConnection,
  steps: readonly string[],
  slice?: Slice,
): Promise<void> {
  const values = slice === undefined ? {} : toValues(slice);
  for (const step of steps) await runFile(connection, `${folder}/${step}`, values);
}

function toValues({ firstTime, lastTime }: Slice): Values {
  return { first_time: firstTime, last_time: lastTime };
}
