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

// Tables that are folded from the events of many days. They are jobs, what people may do, active days, first and last
// seen, and ids that several events have. They are kept at load, so that no report folds the history. The same
// statements fold what a read touches and, from nothing, everything.

const folder = "queries/derived";

/** How a long step prints its progress, and what breaks it off. */
export type Steps = {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
};

// More events are folded some hours at a time: to bring all jobs of a history together takes more memory than there is.
const maxEvents = 500_000;
// What one commit of a history frees cannot be used again within it: with all in one the file was a tenth larger.
const mostInCommit = 2_000_000;

/** What a read brought; times as the database writes them. */
export type RefreshResult = {
  readonly inserted: number;
  readonly firstEventTime: string | null;
  readonly lastEventTime: string | null;
};

/** What a connection needs for folding: macros that live as long as it does. */
export const foldingFiles: readonly string[] = [
  "kinds.sql",
  "bound_name.sql",
  "due_events.sql#of_reads",
].map((name) => `${folder}/${name}`);

/** Notes, in the transaction of a read, that what it brought is to be folded, and evaluated by detections. */
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
 * Folds what the reads have brought that are due, many together: to plan these statements takes longer than to fold a
 * small read. No commit holds more than `mostEvents`, unless one read does. Nothing may be published before. An abort
 * breaks off what would take long; it is still due then.
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

// Whole reads alone: how the pages of one run in time is seen from all of their events.
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
  "interrupted: what was loaded is safe; the next run that writes folds it for reports, and publishes it";

/**
 * Folds everything from nothing, about so many events at a time, on a connection that may fold reads later. What is
 * done is committed step by step, unless the caller has a transaction: one alone would hold more than memory does.
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
  // What the catalog says of an event is a rule, too: where that changes, matching again asks for the fold.
  const shape = { derivedVersion: nullable(text), events: count };
  const [state] = await queryRows(connection, `${folder}/due_events.sql#folded_by`, shape);
  const { derivedVersion, events } = state!;
  if (derivedVersion === fingerprints.folding) return;
  if (events > printFrom) print(`folding ${events} events into the tables that reports read`);
  const runFolding = async (): Promise<void> => {
    // Until a version is recorded, the next process starts over.
    await connection.run("delete from derived_versions");
    await foldAll(connection);
    await noteFolded(connection);
  };
  // A new database has nothing to fold: what an interrupt means there is for the work to say.
  await (events === 0 ? runFolding() : runInterruptibly(connection, signal, anewText, runFolding));
}

/** Records that the tables match the present rules, as in a database without events. */
export async function noteFolded(connection: DuckDBConnection): Promise<void> {
  const version = fingerprints.folding;
  await connection.run("insert into derived_versions values ($version)", { version });
}

const anewText =
  "interrupted: the next run that writes folds the events for reports from the beginning, and publishes them";
const printFrom = 1_000_000;

/**
 * Gives back what the language still holds of pages that are loaded, 100 to 200 MB. By itself it collects only when it
 * needs more, and it needs nothing while it waits for the database.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
