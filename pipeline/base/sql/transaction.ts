import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../errors.ts";

type Guard = () => Promise<void>;

const guards = new WeakMap<DuckDBConnection, Guard>();

/** Has something done before each commit of a connection: where it fails, nothing is stored. */
export function guardCommits(connection: DuckDBConnection, check: Guard): void {
  guards.set(connection, check);
}

const open = new WeakSet<DuckDBConnection>();
const undoing = new WeakSet<DuckDBConnection>();

/** Decides whether a connection is rolling back a transaction: an interrupt would leave it aborted. */
export function isUndoing(connection: DuckDBConnection): boolean {
  return undoing.has(connection);
}

/**
 * Does the work in one transaction, which is rolled back if the work throws; returns its result. Inside another
 * transaction it is part of that, and is rolled back with it.
 */
export async function runInTransaction<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
): Promise<T> {
  if (open.has(connection)) return work();
  await connection.run("begin");
  open.add(connection);
  try {
    const done = await work();
    await guards.get(connection)?.();
    await connection.run("commit");
    return done;
  } catch (error) {
    await rollBack(connection);
    throw error;
  } finally {
    open.delete(connection);
  }
}

async function rollBack(connection: DuckDBConnection): Promise<void> {
  undoing.add(connection);
  await connection.run("rollback").catch(() => undefined);
  undoing.delete(connection);
}

const repeatMs = 20;

/**
 * Does work that may take minutes, and breaks it off where the signal aborts. It then throws AuditlakeError with the
 * given message and exit code 130; the work's own transaction undoes what it had done.
 */
export async function runInterruptibly<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  const newInterruption = (): Error => new AuditlakeError(message, exitCode.interrupted);
  if (signal.aborted) throw newInterruption();
  const stop = interruptFrom(connection, signal);
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? newInterruption() : error;
  } finally {
    stop();
  }
}

/**
 * Interrupts what the connection does from the moment when the signal aborts; the result ends that. The database
 * forgets an interrupt that comes before a statement runs (github.com/duckdb/duckdb-rs/pull/860 waits for that, too;
 * seen with DuckDB 1.5.6). So it is repeated.
 */
export function interruptFrom(connection: DuckDBConnection, signal?: AbortSignal): () => void {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  const interruptStatement = (): void => {
    if (!isUndoing(connection)) connection.interrupt();
    timer ??= setInterval(interruptStatement, repeatMs).unref();
  };
  signal?.addEventListener("abort", interruptStatement, { once: true });
  return () => {
    signal?.removeEventListener("abort", interruptStatement);
    clearInterval(timer);
  };
}

/**
 * Runs both at once on their own connections. Settles when both have ended, since a connection must not be closed
 * during a statement; rejects with the first error.
 */
export async function awaitBoth<A, B>(
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one(), other()]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}
