import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { interruptFrom } from "../../base/sql/transaction.ts";
import type { Site } from "./site.ts";
import { html, type Markup } from "../../base/html/markup.ts";

/**
 * Lends a connection for the time that a query may take; the query ends when the time is over or the client has
 * disconnected. Throws AuditlakeError on a timeout.
 */
export async function ask<T>(
  { pool, timeoutMs }: Pick<Site, "pool" | "timeoutMs">,
  gone: AbortSignal,
  work: (connection: DuckDBConnection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return pool.use(async (connection) => {
    const time = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([gone, time]);
    const stopListening = interruptFrom(connection, signal);
    try {
      return await work(connection, signal);
    } catch (error) {
      if (!time.aborted) throw error;
      throw new AuditlakeError(
        `this took longer than ${timeoutMs / 1000} s and was stopped; choose a shorter range`,
        exitCode.failed,
        { cause: error },
      );
    } finally {
      stopListening();
    }
  });
}

/** Writes the notes beside an answer, a line each. */
export function writeQuietLines(lines: readonly string[]): Markup[] {
  return lines.map((line) => html`<p class="quiet">${line}</p>`);
}
