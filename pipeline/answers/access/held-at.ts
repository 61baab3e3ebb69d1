import { databaseOperations, type Entry } from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { unreadAt, unreadOf } from "../report/unread.ts";
import { untoldLines } from "../report/reach.ts";
import { queryFile, textOf } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { entriesOf } from "./least.ts";
import type { Target } from "./target.ts";

const known: readonly string[] = databaseOperations;

/**
 * The entries on databases that a policy held at a moment, by what log and snapshots tell. Throws UsageError where they
 * are not certain; it names the moment as `on`.
 */
export async function entriesAt(
  { id, settings, source }: Omit<Target, "client">,
  onMs: number,
  on: string,
): Promise<Entry[]> {
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { unread: all } = await unreadOf(database.connection, source.name);
  const [unread] = unreadAt(all, onMs);
  if (unread !== undefined)
    throw new UsageError(
      `what policy ${id} held then is not certain: ${unread}; nothing was sent; ingest what is lacking, or choose another moment`,
    );
  const rows = await queryFile(database.connection, "queries/access/policy.sql", {
    policy_id: id,
    source: source.name,
    on: toTimestamp(onMs),
  });
  const about = { policy_id: id, source: source.name, on: toTimestamp(onMs) };
  const [untold] = await untoldLines(database.connection, about);
  if (untold !== undefined)
    throw new UsageError(
      `${untold}, and of that moment nothing is known; nothing was sent; choose one behind a snapshot`,
    );
  const own = rows.filter((row) => row["resource_kind"] === "Databases");
  const unsure = own.filter((row) => row["is_certain"] !== true);
  if (unsure.length > 0)
    throw new UsageError(
      `what policy ${id} held then is not certain (${String(unsure[0]!["evidence"])}); nothing was sent; look with policy get ${id} --on ${on}`,
    );
  const rights = own.map((row) => ({
    operation: String(row["operation"]),
    id: textOf(row, "object_id"),
  }));
  return entriesOf(rights).toSorted(
    (a, b) => known.indexOf(a.operation) - known.indexOf(b.operation),
  );
}
