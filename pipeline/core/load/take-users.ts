import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../base/errors.ts";
import { landUsers, listUsers } from "../landing/documents.ts";
import type { UserList } from "../records/user-list.ts";
import {
  listEndedUsers,
  type EndedUsers,
  findHeldBackList,
  listLastUserReads,
  storeUsers,
} from "../store/user-readings.ts";
import { toTimestamp, fromTimestamp } from "../../base/time/text.ts";

/** Stores the landed user lists that a killed run has left unstored, as a rebuild would, in their order. */
export async function storeLandedUsers(
  landing: string,
  connection: DuckDBConnection,
): Promise<void> {
  const { lists } = listUsers(landing, await listLastUserReads(connection));
  for (const list of lists) await storeUsers(connection, list);
}

/**
 * Stores a user list in landing, then its accepted part in the database; earlier lists must be stored already.
 * `accepted` is the operator's reason for accepting a withheld list.
 */
export async function takeUsers(
  landing: string,
  connection: DuckDBConnection,
  source: string,
  { users, against, accepted }: UserList & { readonly accepted?: string },
  nowMs: number,
): Promise<void> {
  const last = (await listLastUserReads(connection)).get(source);
  // Lists are replayed in the order of their moments, which a clock set back must not change.
  const readMs = last === undefined ? nowMs : Math.max(nowMs, fromTimestamp(last) + 1);
  const reason = accepted === undefined ? {} : { accepted };
  const reading = { source, readAt: toTimestamp(readMs), users, ...reason };
  const judged = against.length === 0 ? reading : { ...reading, against };
  await landUsers(landing, judged);
  await storeUsers(connection, judged);
}

/**
 * Accepts the last list of a source that was held back, with a reason: users who are not on it end. Returns them,
 * undefined if no list is held back. Throws AuditlakeError if the stored list no longer exists.
 */
export async function acceptUsers(
  landing: string,
  connection: DuckDBConnection,
  source: string,
  reason: string,
  nowMs: number,
): Promise<EndedUsers | undefined> {
  const readAt = await findHeldBackList(connection, source);
  if (readAt === undefined) return undefined;
  const before = toTimestamp(fromTimestamp(readAt) - 1);
  const list = listUsers(landing, new Map([[source, before]])).lists.find(
    (one) => one.source === source && one.readAt === readAt,
  );
  if (list === undefined)
    throw new AuditlakeError(
      `the user list of source ${source}, read ${readAt} is no longer stored; run ${formatCommand("ingest")} to read it again`,
    );
  const after = (await listLastUserReads(connection)).get(source);
  const accepted = { users: list.users, against: [], accepted: reason };
  await takeUsers(landing, connection, source, accepted, nowMs);
  return (await listEndedUsers(connection, source, after)) ?? { users: 0, first: [] };
}
