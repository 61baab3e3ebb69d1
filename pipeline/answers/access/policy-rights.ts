import { databaseOperations, type Entry } from "../../../schemas/policies.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { listUnreadAt, readUnreadTimes } from "../report/unread.ts";
import { listUnknownLines } from "../report/reach.ts";
import { nullable, queryRows, text, truth, type TypedRow } from "../../base/sql/typed-rows.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { buildEntries } from "./least.ts";
import type { Target } from "./target.ts";

const rightShape = {
  source: text,
  resourceKind: text,
  operation: nullable(text),
  objectId: nullable(text),
  isCertain: nullable(truth),
  evidence: nullable(text),
};

/** The requested policy, of one source or of all, and the moment as a SQL timestamp. */
type PolicyQuestion = {
  readonly policy_id: string;
  readonly source: string | null;
  readonly on: string;
};

/**
 * Lists the rights of a policy at a moment, from log and snapshots. Uses the table `unread_log` of `readUnreadTimes`.
 */
export function listPolicyRights(
  connection: DuckDBConnection,
  asked: PolicyQuestion,
): Promise<TypedRow<typeof rightShape>[]> {
  return queryRows(connection, "queries/access/policy.sql", rightShape, asked);
}

const known: readonly string[] = databaseOperations;

/**
 * Reads the entries on databases of a policy at a moment, from log and snapshots. Throws UsageError with the moment as
 * `on` if they are uncertain.
 */
export async function readEntriesAt(
  { id, settings, source }: Omit<Target, "client">,
  onMs: number,
  on: string,
): Promise<Entry[]> {
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { unread: all } = await readUnreadTimes(database.connection, source.name);
  const [unread] = listUnreadAt(all, onMs);
  if (unread !== undefined)
    throw new UsageError(
      `the permissions of policy ${id} at that moment are uncertain: ${unread}; nothing was sent; ingest the missing time range, or choose another moment`,
    );
  const about = { policy_id: id, source: source.name, on: toTimestamp(onMs) };
  const rights = await listPolicyRights(database.connection, about);
  const [unknownRights] = await listUnknownLines(database.connection, about);
  if (unknownRights !== undefined)
    throw new UsageError(`${unknownRights}; nothing was sent; choose a moment after a snapshot`);
  const own = rights.filter(({ resourceKind }) => resourceKind === "Databases");
  const unsure = own.find(({ isCertain }) => isCertain !== true);
  if (unsure !== undefined)
    throw new UsageError(
      `the permissions of policy ${id} at that moment are uncertain (${unsure.evidence}); nothing was sent; check with policy get ${id} --on ${on}`,
    );
  const held = own.map(({ operation, objectId }) => ({ operation: operation ?? "", id: objectId }));
  return buildEntries(held).toSorted(
    (a, b) => known.indexOf(a.operation) - known.indexOf(b.operation),
  );
}
