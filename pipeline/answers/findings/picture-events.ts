import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";

const shape = {
  findingId: text,
  eventTime: text,
  eventName: nullable(text),
  outcome: text,
  bytesize: nullable(count),
};

/** An event that the picture of a finding shows; its time to the second in UTC. */
export type PictureEvent = Omit<Awaited<ReturnType<typeof readRows>>[number], "findingId">;

// More marks than this would cover each other.
const most = 200;

function readRows(connection: DuckDBConnection, ids: readonly string[]) {
  return queryRows(connection, "queries/findings/pictures.sql", shape, {
    ids: ids.join(","),
    most,
  });
}

/** Reads the events for the pictures of findings, by id, in the order of time. */
export async function readPictureEvents(
  connection: DuckDBConnection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly PictureEvent[]>> {
  if (ids.length === 0) return new Map();
  return Map.groupBy(await readRows(connection, ids), ({ findingId }) => findingId);
}
