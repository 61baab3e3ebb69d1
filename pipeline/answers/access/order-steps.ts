import type { PermissionSet } from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import type { Comparison } from "../../core/records/permissions.ts";
import { formatShort } from "./review/rights.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { applyEdits, type Edit, describeNotShown } from "./wanted-set.ts";
import type { Sending } from "./send.ts";
import { openKnown, type Target } from "./target.ts";
import { overlaps, readUnreadTimes } from "../report/unread.ts";
import type { Unread } from "../../base/rows/row.ts";
import {
  count,
  nullable,
  queryRows,
  text,
  truth,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";

/** A policy of a folder, what it holds and shall hold, and how that differs from what it holds. */
export type Step = {
  readonly target: Target;
  readonly before: PermissionSet;
  readonly wanted: PermissionSet;
  readonly comparison: Comparison;
};

/** Steps in order of completion, and the sets to send for them, some policies twice. */
export type OrderedSteps = {
  readonly steps: readonly Step[];
  readonly sendings: readonly Sending[];
};

/** Orders steps so that every user always keeps what they have before and after. */
export async function orderSteps(
  steps: readonly Step[],
  settings: Settings,
  source: NamedSource,
  nowMs: number,
): Promise<OrderedSteps> {
  const members = await readKnownMembers(settings, source, nowMs);
  const order = orderChanges(steps.map((step) => toChange(step, members)));
  const findStep = (id: string): Step => steps.find((step) => step.target.id === id)!;
  // Builds all grant-only sets before any is sent: a set that may not be sent would stop the work halfway.
  for (const { id, isGivingAlone } of order) if (isGivingAlone) buildGivingSet(findStep(id));
  return {
    steps: order.filter((one) => !one.isGivingAlone).map(({ id }) => findStep(id)),
    sendings: order.map(({ id, isGivingAlone }) => {
      const step = findStep(id);
      const planSet = (before: PermissionSet): PermissionSet =>
        isGivingAlone ? buildGivingSet({ ...step, before }) : step.wanted;
      return { target: step.target, plan: planSet };
    }),
  };
}

function toChange({ target, comparison }: Step, members: KnownMembers): Change {
  return {
    id: target.id,
    added: comparison.added.map(formatShort),
    removed: comparison.removed.map(formatShort),
    members: members.get(target.id),
  };
}

// The present permissions plus the grants; kinds outside the reference are not sent.
function buildGivingSet({ target, before, comparison }: Step): PermissionSet {
  const { Databases: held = [] } = before;
  const fault =
    Array.isArray(held) && held.length === 0 ? undefined : describeNotShown({ Databases: held });
  if (fault !== undefined)
    throw new UsageError(
      `policy ${target.id} needs two steps, its current permissions plus the grants first, but it has permissions that the API reference does not show: ${fault}; nothing was sent for it; set it with policy set first`,
    );
  const grant = comparison.added.map(({ operation, objectId }): Edit => ({
    operation: operation!,
    ids: objectId === null ? undefined : [objectId],
  }));
  return { Databases: applyEdits({ Databases: held }, { grant, revoke: [] })["Databases"] };
}

/** What setting a policy gives and takes away, rights in short as `query:101`, and who belongs to it. */
export type Change = {
  readonly id: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Undefined where it is not known: then anybody may. */
  readonly members: ReadonlySet<string> | undefined;
};

/** A set to send: the wanted one, or first only its grants added to the present set. */
type Turn = { readonly id: string; readonly isGivingAlone: boolean };

/**
 * Orders policies so that no user temporarily loses a right that they have before and after. A step that grants a right
 * to a user precedes the step that revokes it. If two steps wait for each other, one of them is sent twice, first with
 * its grants.
 */
export function orderChanges(changes: readonly Change[]): Turn[] {
  const waiting = changes.toSorted((a, b) => rankChange(a) - rankChange(b));
  const given = new Set<Change>();
  const order: Turn[] = [];
  const isReady = (change: Change): boolean =>
    changes.every((other) => given.has(other) || !mustWait(change, other));
  while (waiting.length > 0) {
    const next = waiting.find(isReady);
    const first = next ?? waiting.find((change) => !given.has(change) && change.added.length > 0)!;
    order.push({ id: first.id, isGivingAlone: next === undefined });
    given.add(first);
    if (next !== undefined) waiting.splice(waiting.indexOf(next), 1);
  }
  return order;
}

// What gives comes before what does both, and that before what takes away.
const rankChange = ({ added, removed }: Change): number =>
  removed.length === 0 ? 0 : added.length > 0 ? 1 : 2;

// Decides whether one revokes from a user what the other grants them; manage includes everything.
function mustWait(one: Change, other: Change): boolean {
  if (one === other || !shareMembers(one, other)) return false;
  return one.removed.some((right) =>
    other.added.some((gift) => gift === right || gift === "manage" || right === "manage"),
  );
}

function shareMembers({ members: one }: Change, { members: other }: Change): boolean {
  if (one === undefined || other === undefined) return true;
  return [...one].some((person) => other.has(person));
}

/** Known members by policy id; policies with unknown members are absent. */
type KnownMembers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads the present members of the policies of a source whose log covers them from their creation without a gap. Older
 * policies can have members whom the log never names.
 */
export async function readKnownMembers(
  settings: Settings,
  { name: source }: NamedSource,
  nowMs: number,
): Promise<KnownMembers> {
  await using database = await openKnown(settings);
  if (database === undefined) return new Map();
  const { unread } = await readUnreadTimes(database.connection, source);
  const path = "queries/access/memberships.sql";
  const rows = await queryRows(database.connection, path, membershipShape, { source });
  return groupMembers(rows, unread, nowMs);
}

const membershipShape = {
  policyId: text,
  madeMs: count,
  userId: nullable(text),
  isCertain: nullable(truth),
};

// A log that is read daily ends before now.
const mostRecentMs = 36 * 3_600_000;

function groupMembers(
  rows: readonly TypedRow<typeof membershipShape>[],
  unread: readonly Unread[],
  nowMs: number,
): Map<string, Set<string>> {
  const gaps = unread.filter(
    ({ fromMs, untilMs, isPruned }) =>
      !isPruned && !(untilMs === null && fromMs !== null && nowMs - fromMs <= mostRecentMs),
  );
  const known = new Map<string, Set<string>>();
  for (const [id, own] of Map.groupBy(rows, ({ policyId }) => policyId)) {
    const isWhole = !gaps.some((gap) => overlaps(gap, own[0]!.madeMs, nowMs));
    if (isWhole && own.every(({ isCertain }) => isCertain === true))
      known.set(id, new Set(own.flatMap(({ userId }) => userId ?? [])));
  }
  return known;
}
