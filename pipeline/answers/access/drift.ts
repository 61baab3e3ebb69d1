import { existsSync } from "node:fs";
import { toTimestamp } from "../../base/time/text.ts";
import { parseSet, grantsOf, type Comparison, type Grant } from "../../core/records/permissions.ts";
import { listChanges } from "./log.ts";
import { shortOf } from "./review/rights.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { unreadOf } from "../report/unread.ts";
import type { World } from "../../base/world.ts";
import type { Target } from "./target.ts";
import { withUnnamed } from "./with-unnamed.ts";

/** What of a comparison undoes what somebody did elsewhere, and what the file itself changes. */
export type DriftSplit = {
  readonly own: Comparison;
  readonly drift: Comparison;
  /** What the service is held against, in words. */
  readonly base: string;
};

/**
 * Tells drift from what a file changes: against the last set that was sent from here, else against what log and
 * snapshots tell. Undefined where neither knows the policy.
 */
export async function splitDrift(
  target: Target,
  { added, removed, kept }: Comparison,
  world: World,
): Promise<DriftSplit | undefined> {
  const base = lastSent(target) ?? (await lastKnown(target, world));
  if (base === undefined) return undefined;
  const had = (grant: Grant): boolean => base.rights.has(textOf(grant));
  return {
    own: { added: added.filter((grant) => !had(grant)), removed: removed.filter(had), kept },
    drift: { added: added.filter(had), removed: removed.filter((grant) => !had(grant)), kept: [] },
    base: base.words,
  };
}

type Base = { readonly rights: ReadonlySet<string>; readonly words: string };

const textOf = ({ kind, operation, objectId }: Grant): string =>
  `${kind} ${shortOf(operation ?? "", objectId)}`;

// What came of a set that the policy then held, alone or beside what the service keeps.
const stands = ["in_place", "kept_further"];

function lastSent({ id, source, settings }: Target): Base | undefined {
  const last = listChanges(settings.home).findLast(
    (change) =>
      change.source === source.name && change.policy_id === id && stands.includes(change.outcome),
  );
  if (last === undefined) return undefined;
  const after = parseSet(last.after);
  const isKept = last.outcome === "kept_further";
  const grants = grantsOf(isKept ? withUnnamed(parseSet(last.before), after) : after);
  return {
    rights: new Set(grants.map(textOf)),
    words: `since it was set from here on ${last.sent_at}`,
  };
}

async function lastKnown(
  { id, source, settings }: Target,
  world: World,
): Promise<Base | undefined> {
  const { home, config } = settings;
  if (!existsSync(home.published)) return undefined;
  await using database = await openPublished(home.published, readLimits(config));
  const on = toTimestamp(world.now());
  const values = { policy_id: id, source: source.name, on };
  // It makes the table that the query asks.
  await unreadOf(database.connection, source.name);
  const rows = await queryFile(database.connection, "queries/access/policy.sql", values);
  if (rows.length === 0) return undefined;
  const rights = rows.map((row) => {
    const object = row["object_id"] === null ? null : String(row["object_id"]);
    return `${String(row["resource_kind"])} ${shortOf(String(row["operation"]), object)}`;
  });
  return { rights: new Set(rights), words: "of what neither log nor snapshots show" };
}
