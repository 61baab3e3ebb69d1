import type { DuckDBConnection } from "@duckdb/node-api";
import { fingerprints } from "../../schemas/generated/fingerprints.ts";
import { interruptibly } from "../sql/interrupt.ts";
import { queryFile, runFile, type Values } from "../sql/statements.ts";
import { applyKnown, forgetUnused } from "./texts.ts";
import { useThreads } from "../sql/threads.ts";
import { inTransaction } from "../sql/transaction.ts";

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

/** What a read brought; times as the database writes them. */
export type Brought = {
  readonly inserted: number;
  readonly firstEventTime: string;
  readonly lastEventTime: string;
};

/** What a connection needs for folding: macros that live as long as it does. */
export const foldingFiles: readonly string[] = ["kinds", "due_read"].map(
  (name) => `${folder}/${name}.sql`,
);

/** Notes, in the transaction of a read, that what it brought is to be folded. */
export async function noteDue(
  connection: DuckDBConnection,
  readId: string,
  { inserted, firstEventTime, lastEventTime }: Brought,
): Promise<void> {
  if (inserted === 0) return;
  await runFile(connection, `${folder}/note_due.sql`, {
    read_id: readId,
    first_time: firstEventTime,
    last_time: lastEventTime,
    events: inserted,
  });
}

/**
 * Folds what the reads have brought that are due, all at once: to plan these statements takes longer than to fold a
 * small read. Nothing may be published before. An abort breaks off what would take long; it is still due then.
 */
export async function foldDue(connection: DuckDBConnection, signal?: AbortSignal): Promise<void> {
  const [due] = await queryFile(connection, `${folder}/due.sql`);
  const events = Number(due?.["events"]);
  const all = { firstTime: String(due?.["first_time"]), lastTime: String(due?.["last_time"]) };
  if (events === 0 && !(await isAccessDue(connection))) return;
  const folding = (): Promise<void> =>
    inTransaction(connection, async () => {
      if (events > 0) await foldEvents(connection, all, events);
      await foldAccess(connection);
    });
  if (signal === undefined || events <= maxEvents) return folding();
  return interruptibly(connection, signal, leftText, folding);
}

const leftText =
  "interrupted: what was loaded is safe; the next run that writes folds it for reports, and publishes it";

async function foldEvents(connection: DuckDBConnection, all: Slice, events: number): Promise<void> {
  const slices = events > maxEvents ? await slicesOf(connection, all, maxEvents) : [all];
  await fold(connection, all, slices);
  await runInShares(connection, "conflicts", all, Math.ceil(slices.length / slicesOfIds));
  await connection.run("delete from fold_due");
}

/**
 * Folds everything from nothing, about so many events at a time, on a connection that may fold reads later. What is
 * done is committed step by step, unless the caller has a transaction: one alone would hold more than memory does.
 */
export async function foldAll(connection: DuckDBConnection, atOnce = maxEvents): Promise<void> {
  const step = (work: () => Promise<void>): Promise<void> => inTransaction(connection, work);
  await step(async () => {
    for (const name of ["empty", "kinds", "due_all"]) await run(connection, name);
    await runFile(connection, "queries/prune/begin_sums.sql");
  });
  const always = { firstTime: "-infinity", lastTime: "infinity" };
  const slices = await slicesOf(connection, always, atOnce);
  await fold(connection, always, slices);
  await runInShares(connection, "conflicts_all", always, Math.ceil(slices.length / slicesOfIds));
  await step(async () => {
    await forgetUnused(connection);
    // Also where no texts are read any more, or a lake is published before the next are: all jobs wait again.
    await applyKnown(connection);
    await run(connection, "due_access_all");
    await foldAccess(connection);
  });
  await run(connection, "due_read");
}

/**
 * Folds everything from nothing where the rules have changed since the tables were filled, or nothing says by which. An
 * abort breaks it off, and the next run begins anew.
 */
export async function foldWhereStale(
  connection: DuckDBConnection,
  { print, signal }: Steps,
): Promise<void> {
  // What the catalog says of an event is a rule, too: where that changes, matching again asks for the fold.
  const [state] = await queryFile(connection, `${folder}/state.sql`);
  if (state?.["derived_version"] === fingerprints.folding) return;
  const events = Number(state?.["events"]);
  if (events > printFrom) print(`folding ${events} events into the tables that reports read`);
  const folding = async (): Promise<void> => {
    // As long as none is noted, who opens the file begins anew.
    await connection.run("delete from derived_versions");
    await foldAll(connection);
    await noteFolded(connection);
  };
  // A new database has nothing to fold: what an interrupt means there is for the work to say.
  await (events === 0 ? folding() : interruptibly(connection, signal, anewText, folding));
}

/** Notes that the tables are folded by the rules of now, as they are in a database that has no events yet. */
export async function noteFolded(connection: DuckDBConnection): Promise<void> {
  const version = fingerprints.folding;
  await connection.run("insert into derived_versions values ($version)", { version });
}

const anewText =
  "interrupted: the next run that writes folds the events for reports from the beginning, and publishes them";
const printFrom = 1_000_000;

/** Some of the events that are due. */
type Slice = {
  readonly firstTime: string;
  readonly lastTime: string;
};

async function fold(
  connection: DuckDBConnection,
  all: Slice,
  slices: readonly Slice[],
): Promise<void> {
  let hasAccess = false;
  if (slices.length > 1) await useThreads(connection, "all");
  for (let first = 0; first < slices.length; first += slicesInCommit)
    await inTransaction(connection, async () => {
      for (const slice of slices.slice(first, first + slicesInCommit))
        hasAccess = (await foldSlice(connection, slice)) || hasAccess;
    });
  if (hasAccess) await foldSeries(connection, all, Math.ceil(slices.length / slicesInShare));
}

async function foldSeries(connection: DuckDBConnection, all: Slice, shares: number): Promise<void> {
  await run(connection, "directions");
  await runInShares(connection, "orders", all, shares);
  await inTransaction(connection, () => run(connection, "touched_series", all));
  await runInShares(connection, "spans", all, shares);
  await inTransaction(connection, () => run(connection, "touched_access", all));
}

// A commit writes what the database would else hold in memory, and takes a moment of its own.
const slicesInCommit = 8;

// What hangs on pages or on series of changes takes no slice of time: as much as in so many slices is done at once.
const slicesInShare = 2;
// Of ids, which are looked for among all events, more: each share reads them all.
const slicesOfIds = 5;

async function runInShares(
  connection: DuckDBConnection,
  name: string,
  all: Slice,
  shares: number,
): Promise<void> {
  for (let share = 0; share < shares; share++)
    await runFile(connection, `${folder}/${name}.sql`, { ...valuesOf(all), shares, share });
}

// The timeline hangs on the log, on snapshots, on the user directory and on the gaps of the ledger.
async function foldAccess(connection: DuckDBConnection): Promise<void> {
  if (!(await isAccessDue(connection))) return;
  for (const name of ["note_gaps", "timeline", "policy_rights"]) await run(connection, name);
  await connection.run("delete from access_due");
}

async function isAccessDue(connection: DuckDBConnection): Promise<boolean> {
  const [due] = await queryFile(connection, `${folder}/due_access.sql`);
  return due?.["is_due"] === true;
}

// Returns whether there are events among them of which spans follow.
async function foldSlice(connection: DuckDBConnection, slice: Slice): Promise<boolean> {
  const [found] = await queryFile(connection, `${folder}/actors.sql`, valuesOf(slice));
  const hasAccess = found?.["has_access"] === true;
  if (found?.["has_jobs"] === true)
    for (const name of ["touched_jobs", "jobs"]) await run(connection, name, slice);
  if (hasAccess) for (const name of ["marks", "access_events"]) await run(connection, name, slice);
  return hasAccess;
}

async function slicesOf(
  connection: DuckDBConnection,
  all: Slice,
  atOnce: number,
): Promise<Slice[]> {
  const slices: Slice[] = [];
  let held = Number.POSITIVE_INFINITY;
  for (const hour of await queryFile(connection, `${folder}/hours.sql`, valuesOf(all))) {
    const events = Number(hour["events"]);
    const isFull = held + events > atOnce;
    const firstTime = isFull ? String(hour["first_time"]) : slices.pop()!.firstTime;
    slices.push({ ...all, firstTime, lastTime: String(hour["last_time"]) });
    held = isFull ? events : held + events;
  }
  return slices;
}

async function run(connection: DuckDBConnection, name: string, slice?: Slice): Promise<void> {
  const values = slice === undefined ? {} : valuesOf(slice);
  await runFile(connection, `${folder}/${name}.sql`, values);
}

function valuesOf({ firstTime, lastTime }: Slice): Values {
  return { first_time: firstTime, last_time: lastTime };
}
