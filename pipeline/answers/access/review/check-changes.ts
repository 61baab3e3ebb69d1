import type { PermissionSet } from "../../../../schemas/policies.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import { listGrants, selectPermissions } from "../../../core/records/permissions.ts";
import { type Holding, buildKey, buildRightKey } from "./item.ts";
import type { Decision, Review } from "./stored-decisions.ts";
import { type Plan, setByHand, type Step, type RevokedGroup } from "./plan-decisions.ts";
import { formatShort } from "./rights.ts";
import { readPolicy } from "../../../core/source/policies.ts";
import type { World } from "../../../base/world.ts";
import { applyEdits, checkWanted, type Edit } from "../wanted-set.ts";
import { sendAll, type SendFlags } from "../send.ts";
import type { Target } from "../target.ts";

export type PolicyChange = { readonly target: Target; readonly taken: readonly RevokedGroup[] };

type Flags = SendFlags & { readonly allowUndocumented?: true };
type Ground = Omit<Target, "id">;

/** A review, what its people hold now, and what was decided of each row. */
export type ReviewedHoldings = {
  readonly review: Review;
  readonly holdings: readonly Holding[];
  readonly decisions: ReadonlyMap<string, Decision>;
};

/**
 * Checks the sets that a plan sends, and lists the steps that a set cannot do. Throws AuditlakeError if a policy has
 * changed since the review, or has a new member.
 */
export async function checkChanges(
  { taken }: Plan,
  { review, holdings, decisions }: ReviewedHoldings,
  { allowUndocumented }: Flags,
  ground: Ground,
): Promise<{ readonly changes: PolicyChange[]; readonly steps: Step[] }> {
  const [changes, steps, moved]: [PolicyChange[], Step[], string[]] = [[], [], []];
  for (const [id, own] of taken) {
    const read = await readPolicy(ground.client, id);
    const set = read === undefined ? undefined : selectPermissions(read.set);
    const now = new Set(set === undefined ? [] : listHeld(set));
    const words = [
      ...(set === undefined ? ["no longer exists"] : []),
      ...(set === undefined
        ? []
        : listMovedRights(review, id, now, listRevoked(id, review, decisions))),
      ...listNewHolders(review, own, holdings),
    ];
    if (words.length > 0) moved.push(`policy ${id} ${words.slice(0, 3).join(", ")}`);
    // What an interrupted apply has sent already.
    const left = own.filter(({ operation, id: objectId }) =>
      now.has(formatShort({ operation, objectId })),
    );
    if (left.length === 0) continue;
    const isFit = moved.length > 0 || isSendable(set!, own, allowUndocumented === true);
    if (isFit) changes.push({ target: { ...ground, id }, taken: own });
    else steps.push(setByHand(own.flatMap(({ items }) => items)));
  }
  if (moved.length > 0)
    throw new AuditlakeError(
      `the permissions changed after the review was exported: ${moved.slice(0, 3).join("; ")}${moved.length > 3 ? ` (and ${moved.length - 3} more policies)` : ""}; nothing was sent; ingest, take policy snapshots, and export a new review`,
    );
  return { changes, steps };
}

// Decides whether the remaining set has a form of the reference, or an explicit flag allows it.
function isSendable(set: PermissionSet, taken: readonly RevokedGroup[], isLoose: boolean): boolean {
  try {
    checkWanted(withoutTaken(set, taken), "the set", isLoose);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

const withoutTaken = (set: PermissionSet, taken: readonly RevokedGroup[]): PermissionSet =>
  applyEdits(set, { grant: [], revoke: toEdits(taken) });

function listHeld(set: PermissionSet): string[] {
  return listGrants(set)
    .filter(({ kind }) => kind === "Databases")
    .map(formatShort);
}

function listRevoked(
  id: string,
  { items }: Review,
  decisions: ReadonlyMap<string, Decision>,
): ReadonlySet<string> {
  const revoked = items.filter(
    ({ row, policyId, way, kind }) =>
      way === "policy" &&
      policyId === id &&
      kind === "Databases" &&
      decisions.get(row)?.decision === "revoke",
  );
  return new Set(revoked.map(formatShort));
}

export async function sendChanges(
  changes: readonly PolicyChange[],
  { review_id }: Review,
  decisions: ReadonlyMap<string, Decision>,
  flags: Flags,
  world: World,
): Promise<void> {
  const sendings = changes.map(({ target, taken }) => ({
    target,
    plan: (before: PermissionSet): PermissionSet => {
      const wanted = withoutTaken(before, taken);
      checkWanted(wanted, "the resulting set", flags.allowUndocumented === true);
      return wanted;
    },
    reason: flags.reason ?? writeReason(taken, decisions, review_id),
  }));
  await sendAll(sendings, "review", flags, world);
}

function toEdits(taken: readonly RevokedGroup[]): Edit[] {
  const groups = Map.groupBy(taken, ({ operation, id }) => `${operation} ${id === null}`);
  return [...groups.values()].map((own) => ({
    operation: own[0]!.operation,
    ids: own[0]!.id === null ? undefined : own.map(({ id }) => id!),
  }));
}

const maxReason = 500;

function writeReason(
  taken: readonly RevokedGroup[],
  decisions: ReadonlyMap<string, Decision>,
  reviewId: string,
): string {
  const own = taken.flatMap(({ items }) => items.flatMap(({ row }) => decisions.get(row) ?? []));
  const joinWords = (of: (one: Decision) => string): string =>
    [...new Set(own.map(of))].filter((text) => text !== "").join(", ");
  const reasons = joinWords(({ reason }) => reason);
  const text = `review ${reviewId} by ${joinWords(({ reviewer }) => reviewer)}${reasons === "" ? "" : `: ${reasons}`}`;
  return text.slice(0, maxReason);
}

/**
 * Lists how the current rights of a policy differ from the reviewed ones; empty if nothing changed. A right that the
 * review revokes may be missing already: then it was applied before.
 */
export function listMovedRights(
  review: Review,
  policyId: string,
  now: ReadonlySet<string>,
  revoked: ReadonlySet<string>,
): string[] {
  const then = new Set(review.policies[policyId] ?? []);
  const added = [...now].filter((right) => !then.has(right));
  const lost = [...then].filter((right) => !now.has(right) && !revoked.has(right));
  return [...added.map((right) => `now has ${right}`), ...lost.map((right) => `lost ${right}`)];
}

/** Lists users who received a right of a policy since the review was handed out: no decision covers them. */
export function listNewHolders(
  review: Review,
  taken: readonly RevokedGroup[],
  holdings: readonly Holding[],
): string[] {
  const known = new Set(review.items.map(buildKey));
  const rights = new Set(taken.map(({ items }) => buildRightKey(items[0]!)));
  const come = holdings.filter(
    (one) => one.way === "policy" && rights.has(buildRightKey(one)) && !known.has(buildKey(one)),
  );
  return [...new Set(come.map(({ person }) => person))].map(
    (person) => `has the new member ${person}`,
  );
}
