import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { interruptFrom } from "../../base/sql/transaction.ts";
import type { Site } from "./site.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { listReachLines, readReach } from "../../answers/report/reach.ts";
import type { Question } from "../../base/sql/question.ts";

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
        `this took longer than ${timeoutMs / 1000} s and was stopped; ask for a shorter range`,
        exitCode.failed,
        { cause: error },
      );
    } finally {
      stopListening();
    }
  });
}

/**
 * Writes how far the data reaches, and which parts of a range are unread: no events are found there either. Throws
 * AuditlakeError on a timeout.
 */
export async function writeReach(
  site: Site,
  range: Question["values"],
  gone: AbortSignal,
): Promise<Markup[]> {
  const { source } = site.settings.flags;
  const reach = await ask(site, gone, (connection) => readReach(connection, source));
  return writeQuietLines(listReachLines(reach, [range]));
}

/** Writes the notes beside an answer, a line each. */
export function writeQuietLines(lines: readonly string[]): Markup[] {
  return lines.map((line) => html`<p class="quiet">${line}</p>`);
}
