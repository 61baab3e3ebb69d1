import type { PermissionSet } from "../../../../schemas/policies.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import { grantsOf, permissionsOf } from "../../../core/records/permissions.ts";
import { type Holding, keyOf, rightKeyOf } from "./item.ts";
import type { Decision, Review } from "./kept-decisions.ts";
import { type Plan, setByHand, type Step, type Taken } from "./plan-decisions.ts";
import { shortOf } from "./rights.ts";
import { readPolicy } from "../../../core/source/policies.ts";
import type { World } from "../../../base/world.ts";
import { applyEdits, checkWanted, type Edit } from "../wanted.ts";
import { sendAll, type SendFlags } from "../send.ts";
import type { Target } from "../target.ts";

/** What a policy is to lose. */
export type PolicyChange = { readonly target: Target; readonly taken: readonly Taken[] };

type Flags = SendFlags & { readonly allowUndocumented?: true };
type Ground = Omit<Target, "id">;

/** A review, what its people hold now, and what was decided of each row. */
export type Reviewed = {
  readonly review: Review;
  readonly holdings: readonly Holding[];
  readonly decisions: ReadonlyMap<string, Decision>;
};

/**
 * Checks the sets that a plan sends, and lists the steps that a set cannot do. Throws AuditlakeError if a policy has
 * changed since the review, or has a new member.
 */
export async function checkedChanges(
  { taken }: Plan,
  { review, holdings, decisions }: Reviewed,
  { allowUndocumented }: Flags,
  ground: Ground,
): Promise<{ readonly changes: PolicyChange[]; readonly steps: Step[] }> {
  const [changes, steps, moved]: [PolicyChange[], Step[], string[]] = [[], [], []];
  for (const [id, own] of taken) {
    const read = await readPolicy(ground.client, id);
    const set = read === undefined ? undefined : permissionsOf(read.set);
    const now = new Set(set === undefined ? [] : heldOf(set));
    const words = [
      ...(set === undefined ? ["does not exist any more"] : []),
      ...(set === undefined ? [] : movedRights(review, id, now, revokedOf(id, review, decisions))),
      ...newHolders(review, own, holdings),
    ];
    if (words.length > 0) moved.push(`policy ${id} ${words.slice(0, 3).join(", ")}`);
    // What an interrupted apply has sent already.
    const left = own.filter(({ operation, id: objectId }) =>
      now.has(shortOf({ operation, objectId })),
    );
    if (left.length === 0) continue;
    const isFit = moved.length > 0 || isSendable(set!, own, allowUndocumented === true);
    if (isFit) changes.push({ target: { ...ground, id }, taken: own });
    else steps.push(setByHand(own.flatMap(({ items }) => items)));
  }
  if (moved.length > 0)
    throw new AuditlakeError(
      `what was reviewed has moved meanwhile: ${moved.slice(0, 3).join("; ")}${moved.length > 3 ? ` (and ${moved.length - 3} more policies)` : ""}; nothing was sent; ingest, take policy snapshots, and export a new review`,
    );
  return { changes, steps };
}

// Decides whether the remaining set is one that the reference shows, or may be sent by an explicit flag.
function isSendable(set: PermissionSet, taken: readonly Taken[], isLoose: boolean): boolean {
  try {
    checkWanted(withoutTaken(set, taken), "the set", isLoose);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

const withoutTaken = (set: PermissionSet, taken: readonly Taken[]): PermissionSet =>
  applyEdits(set, { grant: [], revoke: editsOf(taken) });

function heldOf(set: PermissionSet): string[] {
  return grantsOf(set)
    .filter(({ kind }) => kind === "Databases")
    .map(shortOf);
}

function revokedOf(
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
  return new Set(revoked.map(shortOf));
}

/** Sends what was planned, policy by policy, with the reasons of the rows. */
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
      checkWanted(wanted, "the set that this makes", flags.allowUndocumented === true);
      return wanted;
    },
    reason: flags.reason ?? reasonOf(taken, decisions, review_id),
  }));
  await sendAll(sendings, "review", flags, world);
}

function editsOf(taken: readonly Taken[]): Edit[] {
  const groups = Map.groupBy(taken, ({ operation, id }) => `${operation} ${id === null}`);
  return [...groups.values()].map((own) => ({
    operation: own[0]!.operation,
    ids: own[0]!.id === null ? undefined : own.map(({ id }) => id!),
  }));
}

const maxReason = 500;

function reasonOf(
  taken: readonly Taken[],
  decisions: ReadonlyMap<string, Decision>,
  reviewId: string,
): string {
  const own = taken.flatMap(({ items }) => items.flatMap(({ row }) => decisions.get(row) ?? []));
  const words = (of: (one: Decision) => string): string =>
    [...new Set(own.map(of))].filter((text) => text !== "").join(", ");
  const reasons = words(({ reason }) => reason);
  const text = `review ${reviewId} by ${words(({ reviewer }) => reviewer)}${reasons === "" ? "" : `: ${reasons}`}`;
  return text.slice(0, maxReason);
}

/**
 * Lists how the current rights of a policy differ from the reviewed ones; empty if nothing changed. A right that the
 * review revokes may be missing already: then it was applied before.
 */
export function movedRights(
  review: Review,
  policyId: string,
  now: ReadonlySet<string>,
  revoked: ReadonlySet<string>,
): string[] {
  const then = new Set(review.policies[policyId] ?? []);
  const added = [...now].filter((right) => !then.has(right));
  const lost = [...then].filter((right) => !now.has(right) && !revoked.has(right));
  return [...added.map((right) => `now holds ${right}`), ...lost.map((right) => `lost ${right}`)];
}

/** Lists users who received a right of a policy since the review was handed out: no decision covers them. */
export function newHolders(
  review: Review,
  taken: readonly Taken[],
  holdings: readonly Holding[],
): string[] {
  const known = new Set(review.items.map(keyOf));
  const rights = new Set(taken.map(({ items }) => rightKeyOf(items[0]!)));
  const come = holdings.filter(
    (one) => one.way === "policy" && rights.has(rightKeyOf(one)) && !known.has(keyOf(one)),
  );
  return [...new Set(come.map(({ person }) => person))].map((person) => `${person} has joined it`);
}
