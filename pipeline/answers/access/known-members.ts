import { existsSync } from "node:fs";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { overlaps, unreadOf } from "../report/unread.ts";
import type { Unread } from "../../base/rows/row.ts";
import { queryFile, textOf, type Row } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";

/** Who belongs to which policy, by ids; without the policies of which that is not known. */
export type KnownMembers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Who belongs to the policies of a source now, where the log shows them from their creation on without a gap. Of one
 * that was there before the log, anybody may be a member whom the log never names.
 */
export async function knownMembers(
  { home, config }: Settings,
  { name: source }: NamedSource,
  nowMs: number,
): Promise<KnownMembers> {
  if (!existsSync(home.published)) return new Map();
  await using database = await openPublished(home.published, readLimits(config));
  const { unread } = await unreadOf(database.connection, source);
  const rows = await queryFile(database.connection, "queries/access/memberships.sql", { source });
  return membersIn(rows, unread, nowMs);
}

// A log that is read every night ends before now.
const mostRecentMs = 36 * 3_600_000;

function membersIn(
  rows: readonly Row[],
  unread: readonly Unread[],
  nowMs: number,
): Map<string, Set<string>> {
  const gaps = unread.filter(
    ({ fromMs, untilMs, isPruned }) =>
      !isPruned && !(untilMs === null && fromMs !== null && nowMs - fromMs <= mostRecentMs),
  );
  const known = new Map<string, Set<string>>();
  for (const [id, own] of Map.groupBy(rows, (row) => String(row["policy_id"]))) {
    const madeMs = Number(own[0]!["made_ms"]);
    const isWhole = !gaps.some((gap) => overlaps(gap, madeMs, nowMs));
    if (isWhole && own.every((row) => row["is_certain"] === true))
      known.set(id, new Set(own.flatMap((row) => textOf(row, "user_id") ?? [])));
  }
  return known;
}
