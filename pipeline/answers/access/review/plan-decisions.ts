import { databaseOperations } from "../../../../schemas/policies.ts";
import { buildKey, buildRightKey, formatRight, type Item } from "./item.ts";
import type { Decision } from "./stored-decisions.ts";

/** A right that a policy loses as a whole, and the rows that decided so. */
export type RevokedGroup = {
  readonly operation: string;
  readonly id: string | null;
  readonly items: readonly Item[];
};

/** A step that is done by hand: the operation of the service, and notes. */
export type Step = {
  readonly items: readonly Item[];
  readonly operation: string;
  readonly note: string;
};

export type Plan = {
  /** By policy; sent as permission sets. */
  readonly taken: ReadonlyMap<string, readonly RevokedGroup[]>;
  readonly steps: readonly Step[];
  /** Revoked for some while others are not decided on, of whom the right would be taken, too. */
  readonly waiting: readonly { readonly item: Item; readonly undecided: readonly Item[] }[];
  /** Revoked, and no longer granted. */
  readonly gone: readonly Item[];
};

type SortedItems = {
  readonly revoked: readonly Item[];
  readonly undecided: readonly Item[];
  readonly kept: readonly Item[];
};

/**
 * Plans how to carry out decisions. A right that all members of a policy lose is removed from the policy; otherwise the
 * membership of the user has to be revoked by hand. Decisions that wait for others remain. `isHeld` checks whether a
 * right still exists.
 */
export function planDecisions(
  items: readonly Item[],
  decisions: ReadonlyMap<string, Decision>,
  isHeld: (key: string) => boolean,
): Plan {
  const getDecision = (item: Item): Decision["decision"] =>
    decisions.get(item.row)?.decision ?? null;
  const live = items.filter((item) => isHeld(buildKey(item)));
  const groups = Map.groupBy(live, (item) =>
    item.way === "policy" ? buildRightKey(item) : buildKey(item),
  );
  const sorted = [...groups.values()].map((group): SortedItems => ({
    revoked: group.filter((item) => getDecision(item) === "revoke"),
    undecided: group.filter((item) => getDecision(item) === null),
    kept: group.filter((item) => getDecision(item) === "keep"),
  }));
  const ready = sorted.filter(({ undecided }) => undecided.length === 0);
  const whole = ready.filter(
    ({ kept, revoked }) => kept.length === 0 && revoked[0]!.way === "policy",
  );
  const single = ready.filter((group) => !whole.includes(group)).flatMap(({ revoked }) => revoked);
  const sendable = whole.filter(({ revoked }) => isSendable(revoked[0]!));
  const leaves = new Set(ready.flatMap(({ revoked }) => revoked.map(buildKey)));
  return {
    taken: listRevoked(sendable.map(({ revoked }) => revoked)),
    steps: [
      ...whole
        .filter((group) => !sendable.includes(group))
        .map(({ revoked }) => setByHand(revoked)),
      ...listSteps(single, live, leaves),
    ],
    waiting: sorted
      .filter(({ undecided }) => undecided.length > 0)
      .flatMap(({ revoked, undecided }) => revoked.map((item) => ({ item, undecided }))),
    gone: items.filter((item) => getDecision(item) === "revoke" && !isHeld(buildKey(item))),
  };
}

const known: readonly unknown[] = databaseOperations;

// What seed 000 shows being sent: Databases alone, with its six operations.
function isSendable({ kind, operation }: Item): boolean {
  return kind === "Databases" && known.includes(operation);
}

function listRevoked(groups: readonly (readonly Item[])[]): Plan["taken"] {
  const all = groups.map((items) => ({ policyId: items[0]!.policyId!, items }));
  const byPolicy = Map.groupBy(all, ({ policyId }) => policyId);
  return new Map(
    [...byPolicy].map(([id, own]) => [
      id,
      own.map(({ items }) => ({
        operation: items[0]!.operation!,
        id: items[0]!.objectId,
        items,
      })),
    ]),
  );
}

/** The step for rights that a set as the reference shows it cannot leave out (seed 000, Related access-control paths). */
export function setByHand(items: readonly Item[]): Step {
  return {
    items,
    operation: `PATCH /v4/access_control/policies/${items[0]!.policyId}/permissions`,
    note: "the reference does not show the remaining set: set it in the console, delete the policy, or add --allow-undocumented",
  };
}

function listSteps(
  single: readonly Item[],
  live: readonly Item[],
  leaves: ReadonlySet<string>,
): Step[] {
  const members = single.filter(({ way }) => way === "policy");
  const byMember = Map.groupBy(members, ({ userId, policyId }) => `${userId} ${policyId}`);
  return [
    ...[...byMember.values()].map((items) => buildDetachStep(items, live, leaves)),
    ...single.filter(({ way }) => way !== "policy").map(buildDirectStep),
  ];
}

function buildDetachStep(
  items: readonly Item[],
  live: readonly Item[],
  leaves: ReadonlySet<string>,
): Step {
  const { userId, policyId } = items[0]!;
  const also = live.filter(
    (item) =>
      item.userId === userId &&
      item.way === "policy" &&
      item.policyId === policyId &&
      !leaves.has(buildKey(item)),
  );
  return {
    items,
    operation: formatDetachment(userId, policyId!),
    note:
      also.length === 0
        ? ""
        : `also removes ${also.map(formatRight).join(", ")}; grant that in another way first`,
  };
}

const formatDetachment = (userId: string, policyId: string): string =>
  `DELETE /v4/access_control/users/${userId}/policies/${policyId}`;

// The paths of seed 000, Related access-control paths; of the flags seed 001 has the operation.
function buildDirectStep(item: Item): Step {
  const { way, userId, kind, objectId } = item;
  const operations: Readonly<Record<string, string>> = {
    set: `PATCH /v4/access_control/users/${userId}/permissions`,
    share: `PUT /databases/${objectId}/share`,
    flag: `PATCH /v4/users/${userId}`,
    member: kind === "Policies" ? formatDetachment(userId, objectId!) : "DELETE /v4/roles",
  };
  return {
    items: [item],
    operation: operations[way]!,
    note: way === "set" ? "send the rest of the set" : "",
  };
}
