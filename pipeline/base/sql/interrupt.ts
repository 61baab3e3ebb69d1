import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../errors.ts";
import { isUndoing } from "./transaction.ts";

const repeatMs = 20;

/**
 * Does work that may take minutes, and breaks it off where the signal aborts. It then throws AuditlakeError with the
 * given message and exit code 130; the work's own transaction undoes what it had done.
 */
export async function interruptibly<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  const interrupted = (): Error => new AuditlakeError(message, exitCode.interrupted);
  if (signal.aborted) throw interrupted();
  const stop = interruptFrom(connection, signal);
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
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
  const interrupt = (): void => {
    if (!isUndoing(connection)) connection.interrupt();
    timer ??= setInterval(interrupt, repeatMs).unref();
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(timer);
  };
}
