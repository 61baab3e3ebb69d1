import type { DuckDBConnection } from "@duckdb/node-api";
import { landUsers, listUsers } from "../landing/directory.ts";
import type { UserList } from "../records/user-list.ts";
import { lastUserReadings, storeUsers } from "../store/user-readings.ts";
import { toTimestamp, fromTimestamp } from "../moments/text.ts";

/** Stores the landed user lists that a killed run has left unstored, as a rebuild would, in their order. */
export async function storeLandedUsers(
  landing: string,
  connection: DuckDBConnection,
): Promise<void> {
  const { lists } = listUsers(landing, await lastUserReadings(connection));
  for (const list of lists) await storeUsers(connection, list);
}

/** Lands a user list and stores what is taken of it; those landed before have to be stored already. */
export async function takeUsers(
  landing: string,
  connection: DuckDBConnection,
  source: string,
  { users, against }: UserList,
  nowMs: number,
): Promise<void> {
  const last = (await lastUserReadings(connection)).get(source);
  // Lists are replayed in the order of their moments, which a clock set back must not change.
  const readMs = last === undefined ? nowMs : Math.max(nowMs, fromTimestamp(last) + 1);
  const reading = { source, readAt: toTimestamp(readMs), users };
  const judged = against.length === 0 ? reading : { ...reading, against };
  await landUsers(landing, judged);
  await storeUsers(connection, judged);
}
