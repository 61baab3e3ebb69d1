import type { DuckDBConnection } from "@duckdb/node-api";
import type { Values } from "../../../base/sql/statements.ts";
import {
  count,
  nullable,
  queryRows,
  text,
  truth,
  type TypedRow,
} from "../../../base/sql/typed-rows.ts";
import type { ReadFacts } from "./read-facts.ts";

// What a read holds, and how that compares with what other reads brought.

const ownShape = {
  records: count,
  repeated: count,
  outside: count,
  digest: text,
  firstInside: nullable(text),
  firstEventTime: nullable(text),
  lastEventTime: nullable(text),
};

type OwnFacts = TypedRow<typeof ownShape>;

const facts = "queries/load/read_facts.sql";

/** Reads what a read holds, before rows that were known are taken out. */
export async function readOwn(connection: DuckDBConnection, read: ReadFacts): Promise<OwnFacts> {
  const [row] = await queryRows(connection, `${facts}#own`, ownShape, toValues(read));
  return row!;
}

/** Whether other reads brought anything that a read could repeat or miss. */
export async function findOthers(
  connection: DuckDBConnection,
  read: ReadFacts,
  { firstEventTime, lastEventTime }: OwnFacts,
): Promise<boolean> {
  const times = { first_event_time: firstEventTime, last_event_time: lastEventTime };
  const values = { ...toValues(read), ...times };
  const [row] = await queryRows(connection, `${facts}#others`, { hasOthers: truth }, values);
  return row!.hasOthers;
}

const absentShape = { vanished: count, missing: count, unshown: text, isForgotten: truth };
/** Result for a store without other events. */
export const nothingAbsent = { vanished: 0, missing: 0, unshown: "[]", isForgotten: false };

/** Counts stored events of the window that a read does not show. */
export async function readAbsent(
  connection: DuckDBConnection,
  read: ReadFacts,
  { firstInside }: OwnFacts,
): Promise<TypedRow<typeof absentShape>> {
  // A file has no window that something could be missing from.
  if (read.windowStart === null) return nothingAbsent;
  const values = { ...toValues(read), first_inside: firstInside };
  const [row] = await queryRows(connection, `${facts}#absent`, absentShape, values);
  return row!;
}

function toValues({ readId, source, windowStart, windowEnd }: ReadFacts): Values {
  return { read_id: readId, source, window_start: windowStart, window_end: windowEnd };
}
