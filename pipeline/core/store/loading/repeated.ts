import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { runFile, type Values } from "../../../base/sql/statements.ts";
import { count, queryRows, truth } from "../../../base/sql/typed-rows.ts";
import { listParts, type ReadFacts, type ReadResult } from "./read-facts.ts";

// Equal records of one read.

type Repeated = {
  /** Whether equal records of one part are on different pages. */
  readonly isScattered: boolean;
  /** Whether a page of a service was repeated. */
  readonly isSentAgain: boolean;
};

/** What a read without equal records shows of them. */
export const noneRepeated: Repeated = { isScattered: false, isSentAgain: false };

/** Numbers equal records, or merges them. */
export async function numberRepeated(
  connection: DuckDBConnection,
  read: ReadFacts,
): Promise<Repeated> {
  const path = "queries/load/repeated.sql";
  const values = { read_id: read.readId, parts: listValue(listParts(read)) };
  const [rows] = await queryRows(connection, path, { isScattered: truth }, values);
  const { isScattered } = rows!;
  // A file contains every page once: none was sent in the place of another.
  const isFile = read.windowStart === null;
  const isSentAgain = !isFile && isScattered && (await findSentAgain(connection, values));
  await runFile(connection, "queries/load/number_repeated.sql", { ...values, is_file: isFile });
  return { isScattered, isSentAgain };
}

async function findSentAgain(connection: DuckDBConnection, values: Values): Promise<boolean> {
  const path = "queries/load/sent_again.sql";
  const [again] = await queryRows(connection, path, { isSentAgain: truth }, values);
  return again!.isSentAgain;
}

/**
 * Looks for equal records on different pages of a read: pages shift while they are read, so they may be one
 * event seen twice. Those without an id come in only with a read that repeats the one before it. A file does
 * not change while it is read, so its equal records are events of their own. Returns how many records inside the
 * window make the read ambiguous, and how many were left out.
 */
export async function withholdAmbiguous(
  connection: DuckDBConnection,
  read: ReadFacts,
  repeats: boolean,
): Promise<Pick<ReadResult, "ambiguous" | "withheld">> {
  const shape = { ambiguous: count, withheld: count };
  const [row] = await queryRows(connection, "queries/load/ambiguous.sql", shape, {
    read_id: read.readId,
    window_start: read.windowStart,
    window_end: read.windowEnd,
    keep_inside: repeats || read.windowStart === null,
  });
  return row!;
}
