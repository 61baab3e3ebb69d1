import type { DuckDBConnection } from "@duckdb/node-api";
import { compareSets, type Grant, parseSet } from "../../../core/records/permissions.ts";
import { nullable, queryRows, text, type TypedRow } from "../../../base/sql/typed-rows.ts";
import { isInPlace, listChanges, type SentChange } from "../log.ts";
import { type Item, buildKey, getObject } from "./item.ts";
import type { Decision, Review } from "./stored-decisions.ts";
import { formatSpaced, toTimestamp } from "../../../base/time/text.ts";
import type { Settings } from "../../../base/home/settings.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import { listHoldings } from "./rights.ts";

export type RightEnd = { readonly key: string; readonly at: string; readonly by: string };

/** Finds the events that revoked rights and memberships since a review was handed out. */
export async function listEndsSince(
  connection: DuckDBConnection,
  { source, on }: Review,
): Promise<(item: Item) => RightEnd | undefined> {
  const since = formatSpaced(on);
  const values = { source, since };
  const rows = await queryRows(connection, "queries/access/review_ends.sql", endShape, values);
  // The last ones come first.
  const ends = new Map(rows.toReversed().map((row) => [buildEndKey(row), toEnd(row)]));
  return (item) => {
    const found = listKeys(item).flatMap((key) => ends.get(key) ?? []);
    return found.toSorted((a, b) => (a.at < b.at ? -1 : 1))[0];
  };
}

const endShape = {
  subjectKind: nullable(text),
  subjectId: nullable(text),
  origin: nullable(text),
  resourceKind: nullable(text),
  operation: nullable(text),
  objectId: nullable(text),
  objectName: nullable(text),
  eventKey: text,
  endedAt: text,
  endedBy: nullable(text),
};

type EndRow = TypedRow<typeof endShape>;

function buildEndKey({ subjectKind, subjectId, origin, resourceKind, operation, ...of }: EndRow) {
  return JSON.stringify([
    subjectKind,
    subjectId,
    origin,
    resourceKind,
    operation,
    ...getObject(of),
  ]);
}

const toEnd = ({ eventKey, endedAt, endedBy }: EndRow): RightEnd => ({
  key: eventKey,
  at: endedAt,
  by: endedBy ?? "unknown",
});

// A right through a policy ends with the right or the membership; rights on a database end with the database.
function listKeys(item: Item): string[] {
  const { userId, way, policyId, kind, operation, objectId } = item;
  const own = ["user", userId];
  const right = [kind, operation, ...getObject(item)];
  const keys =
    way === "policy"
      ? [
          ["policy", policyId, "set", ...right],
          [...own, "member", "Policies", "member", policyId, null],
        ]
      : [[...own, way, ...right]];
  if (kind === "Databases" && objectId !== null)
    keys.push(["database", objectId, "gone", null, null, null, null]);
  return keys.map((key) => JSON.stringify(key));
}

export type State = "sent" | "sent, not confirmed" | "done by hand" | "open";

/** How far a decision to revoke has come. */
export type ItemStatus = { readonly state: State; readonly end: RightEnd | undefined };

/**
 * Decides the status of a decision: what auditlake sent and read back is sent. A right that disappeared without that
 * was revoked by hand. The event of the log that revoked it proves either. A right that was granted again is open.
 */
export function decideStatus(
  item: Item,
  isHeld: boolean,
  end: RightEnd | undefined,
  takings: readonly RevokedRights[],
): ItemStatus {
  const sent = takings.findLast((taking) => isRevokedBy(taking, item));
  const decideState = (): State => {
    if (isHeld && (sent === undefined || end !== undefined)) return "open";
    if (sent === undefined) return "done by hand";
    return isInPlace(sent) || !isHeld ? "sent" : "sent, not confirmed";
  };
  return { state: decideState(), end: isHeld ? undefined : end };
}

/** A change that was sent, and what it took away. */
export type RevokedRights = {
  readonly policyId: string;
  readonly outcome: string;
  readonly removed: readonly Grant[];
};

/** The changes that were sent since a review was handed out and may have taken something away. */
export function listRevokedSince(
  changes: readonly SentChange[],
  { source, on }: Review,
): RevokedRights[] {
  const nothing = ["not_sent", "changed_meanwhile", "refused", "not_in_place"];
  return changes
    .filter((one) => one.source === source && one.sent_at >= on && !nothing.includes(one.outcome))
    .map(({ policy_id, outcome, before, after }) => ({
      policyId: policy_id,
      outcome,
      removed: compareSets(parseSet(before), parseSet(after)).removed,
    }));
}

function isRevokedBy(
  { policyId, removed }: RevokedRights,
  { way, policyId: ownId, kind, operation, objectId }: Item,
): boolean {
  if (way !== "policy" || policyId !== ownId) return false;
  return removed.some(
    (grant) => grant.kind === kind && grant.operation === operation && grant.objectId === objectId,
  );
}

/** Lists current rights, by the keys of `keyOf`. */
export function listHeldKeys(holdings: readonly Parameters<typeof buildKey>[0][]): Set<string> {
  return new Set(holdings.map(buildKey));
}

export type Line = {
  readonly item: Item;
  readonly decision: Decision | undefined;
  readonly state: ItemStatus["state"] | "kept" | "not decided";
  readonly end: ItemStatus["end"];
};

export const isDone = (state: Line["state"]): boolean =>
  ["kept", "sent", "done by hand"].includes(state);

export async function listLines(
  review: Review,
  decisions: ReadonlyMap<string, Decision>,
  settings: Settings,
  world: World,
): Promise<Line[]> {
  const on = toTimestamp(world.now());
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { connection } = database;
  const held = listHeldKeys(await listHoldings(connection, { source: review.source, on }));
  const endOf = await listEndsSince(connection, review);
  const takings = listRevokedSince(listChanges(settings.home), review);
  return review.items.map((item) => {
    const decision = decisions.get(item.row);
    const word = decision?.decision ?? null;
    if (word !== "revoke")
      return { item, decision, state: word === null ? "not decided" : "kept", end: undefined };
    return {
      item,
      decision,
      ...decideStatus(item, held.has(buildKey(item)), endOf(item), takings),
    };
  });
}
