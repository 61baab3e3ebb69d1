import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../../schemas/generated/fingerprints.ts";
import { runInterruptibly, runInTransaction } from "../../base/sql/transaction.ts";
import { runFile } from "../../base/sql/statements.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { foldAccess, foldTime, isAccessDue, type Slice } from "./fold-slices.ts";
import { applyKnown, forgetUnused } from "./texts.ts";
import type { ReadFacts } from "./loading/read-facts.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Derived tables aggregate the events of many days: jobs, permissions, active days, first and last seen, and ids of
// several events. They are refreshed at load, so that no report aggregates the history. The same statements refresh the
// part that a read touches and rebuild everything.

const folder = "queries/derived";

/** How a long step prints its progress, and what breaks it off. */
export type Steps = {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
};

// More events than this are aggregated some hours at a time: joining all jobs of a history exceeds the memory.
const maxEvents = 500_000;
// Space freed inside a commit is not reused within it: one commit for all made the file a tenth larger.
const mostInCommit = 2_000_000;

/** Result of a read; times as SQL timestamps. */
export type RefreshResult = {
  readonly inserted: number;
  readonly firstEventTime: string | null;
  readonly lastEventTime: string | null;
};

/** Macros that a connection needs to refresh derived tables; they are temporary. */
export const foldingFiles: readonly string[] = [
  "kinds.sql",
  "bound_name.sql",
  "due_events.sql#of_reads",
].map((name) => `${folder}/${name}`);

/** Notes, in the transaction of a read, that derived tables and detections have to process its events. */
export async function noteDue(
  connection: DuckDBConnection,
  readId: string,
  { inserted, firstEventTime, lastEventTime }: RefreshResult,
): Promise<void> {
  if (inserted === 0) return;
  await runFile(connection, `${folder}/due_events.sql#note`, {
    read_id: readId,
    first_time: firstEventTime,
    last_time: lastEventTime,
    events: inserted,
  });
  await noteChange(connection, firstEventTime, lastEventTime);
}

/** Notes, in the transaction of a read, a window that is read for the first time, or that misses what reads had shown. */
export async function noteWindow(
  connection: DuckDBConnection,
  { source, windowStart, windowEnd }: Pick<ReadFacts, "source" | "windowStart" | "windowEnd">,
  isChanged: boolean,
): Promise<void> {
  if (windowStart === null) return;
  await runFile(connection, "queries/detect/changes.sql#covered", {
    source,
    window_start: windowStart,
    window_end: windowEnd,
    is_changed: isChanged,
  });
}

/** Notes, in the transaction of a change, event times over which detections are to be evaluated again. */
export async function noteChange(
  connection: DuckDBConnection,
  firstTime: string | null,
  lastTime: string | null,
): Promise<void> {
  const times = { first_time: firstTime, last_time: lastTime };
  await runFile(connection, "queries/detect/changes.sql#note", times);
}

/**
 * Refreshes derived tables from pending reads, many reads at once: planning takes longer than a small read. No commit
 * covers more than `mostEvents`, unless one read does. Nothing may be published before. After an abort the rest stays
 * pending.
 */
export async function foldDue(
  connection: DuckDBConnection,
  signal?: AbortSignal,
  mostEvents = mostInCommit,
): Promise<void> {
  const due = await readDue(connection);
  if (due.events === 0 && !(await isAccessDue(connection))) return;
  const runFolding = async (): Promise<void> => {
    let left = due;
    for (; left.events > mostEvents; left = await readDue(connection))
      await runInTransaction(connection, () => foldFirst(connection, mostEvents));
    await runInTransaction(connection, async () => {
      if (left.events > 0) {
        await foldEvents(connection, left);
        await connection.run("delete from fold_due");
      }
      await foldAccess(connection);
    });
  };
  if (signal === undefined || due.events <= maxEvents) return runFolding();
  collectGarbage();
  return runInterruptibly(connection, signal, leftText, runFolding);
}

// Takes complete reads only: the paging of a run over time is visible only from all of its events.
async function foldFirst(connection: DuckDBConnection, mostEvents: number): Promise<void> {
  await runFile(connection, "queries/load/fold_due.sql#postpone", { most_events: mostEvents });
  await foldEvents(connection, await readDue(connection));
  await runFile(connection, "queries/load/fold_due.sql#resume");
}

async function foldEvents(connection: DuckDBConnection, { events, slice }: Due): Promise<void> {
  await foldTime(connection, slice, events > maxEvents ? maxEvents : undefined);
}

type Due = { readonly events: number; readonly slice: Slice };

async function readDue(connection: DuckDBConnection): Promise<Due> {
  const shape = { events: count, firstTime: nullable(text), lastTime: nullable(text) };
  const [due] = await queryRows(connection, `${folder}/due_events.sql#amount`, shape);
  const { events, firstTime, lastTime } = due!;
  return { events, slice: { firstTime: firstTime ?? "", lastTime: lastTime ?? "" } };
}

const leftText =
  "interrupted: loaded events are safe; the next writing run aggregates and publishes them";

/**
 * Rebuilds all derived tables, about this many events at a time, on a connection that may refresh them later. Commits
 * step by step, unless the caller has a transaction: one commit would exceed the memory.
 */
export async function foldAll(connection: DuckDBConnection, atOnce = maxEvents): Promise<void> {
  const runStep = (work: () => Promise<void>): Promise<void> => runInTransaction(connection, work);
  await runStep(async () => {
    for (const name of ["empty.sql", "kinds.sql", "bound_name.sql", "due_events.sql#all"])
      await runFile(connection, `${folder}/${name}`);
    await runFile(connection, "queries/prune/sums.sql#begin");
  });
  const always = { firstTime: "-infinity", lastTime: "infinity" };
  await foldTime(connection, always, atOnce);
  await runStep(async () => {
    await forgetUnused(connection);
    // Also where no texts are read any more, or a lake is published before the next are: all jobs wait again.
    await applyKnown(connection);
    await runFile(connection, `${folder}/access_due.sql#all`);
    await foldAccess(connection);
  });
  await runFile(connection, `${folder}/due_events.sql#of_reads`);
}

/**
 * Refreshes all derived tables if the rules have changed since they were filled, or the rules are unknown. An abort
 * breaks it off, and the next run starts over.
 */
export async function foldWhereStale(
  connection: DuckDBConnection,
  { print, signal }: Steps,
): Promise<void> {
  // Catalog values count as rules, too: a catalog change matches events again, which refreshes the tables.
  const shape = { derivedVersion: nullable(text), events: count };
  const [state] = await queryRows(connection, `${folder}/due_events.sql#folded_by`, shape);
  const { derivedVersion, events } = state!;
  if (derivedVersion === fingerprints.folding) return;
  if (events > printFrom) print(`rebuilding the derived tables from ${events} events`);
  const runFolding = async (): Promise<void> => {
    // Until a version is recorded, the next process starts over.
    await connection.run("delete from derived_versions");
    await foldAll(connection);
    await noteFolded(connection);
  };
  // With an empty database the rebuild is trivial; the caller reports the interrupt.
  await (events === 0
    ? runFolding()
    : runInterruptibly(connection, signal, rebuildText, runFolding));
}

/** Records that the tables match the present rules, as in a database without events. */
export async function noteFolded(connection: DuckDBConnection): Promise<void> {
  const version = fingerprints.folding;
  await connection.run("insert into derived_versions values ($version)", { version });
}

const rebuildText =
  "interrupted: the next writing run rebuilds the derived tables from the start, and publishes them";
const printFrom = 1_000_000;

/**
 * Frees memory of loaded pages, 100 to 200 MB. The engine collects garbage only when it needs memory, and it needs none
 * while it waits for the database.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
