import type { PermissionSet } from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import type { Comparison, Grant } from "../../core/records/permissions.ts";
import { orderOf, type Change } from "./order.ts";
import { shortOf } from "./review/rights.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { applyEdits, type Edit } from "./edits.ts";
import { type KnownMembers, knownMembers } from "./known-members.ts";
import type { Plan } from "./send.ts";
import type { Target } from "./target.ts";
import { notShownIn } from "./wanted.ts";

/** A policy of a folder, what it holds and shall hold, and how that differs from what it holds. */
export type Step = {
  readonly target: Target;
  readonly before: PermissionSet;
  readonly wanted: PermissionSet;
  readonly comparison: Comparison;
};

/** Steps in the order in which they come to their end, and what is sent for that, some of them twice. */
export type Ordered = {
  readonly steps: readonly Step[];
  readonly sendings: readonly { readonly target: Target; readonly plan: Plan }[];
};

/** Puts steps in an order in which nobody is without what they have before and after. */
export async function ordered(
  steps: readonly Step[],
  settings: Settings,
  source: NamedSource,
  nowMs: number,
): Promise<Ordered> {
  const members = await knownMembers(settings, source, nowMs);
  const order = orderOf(steps.map((step) => changeOf(step, members)));
  const stepOf = (id: string): Step => steps.find((step) => step.target.id === id)!;
  // Each set that goes first is made before any is sent: one that may not be sent would end the work halfway.
  for (const { id, isGivingAlone } of order) if (isGivingAlone) givingSet(stepOf(id));
  return {
    steps: order.filter((one) => !one.isGivingAlone).map(({ id }) => stepOf(id)),
    sendings: order.map(({ id, isGivingAlone }) => {
      const step = stepOf(id);
      const plan = (before: PermissionSet): PermissionSet =>
        isGivingAlone ? givingSet({ ...step, before }) : step.wanted;
      return { target: step.target, plan };
    }),
  };
}

function changeOf({ target, comparison }: Step, members: KnownMembers): Change {
  return {
    id: target.id,
    added: comparison.added.map(rightOf),
    removed: comparison.removed.map(rightOf),
    members: members.get(target.id),
  };
}

const rightOf = ({ operation, objectId }: Grant): string => shortOf(operation ?? "", objectId);

// What is there, and what is given; kinds that the reference does not show are not sent.
function givingSet({ target, before, comparison }: Step): PermissionSet {
  const { Databases: held = [] } = before;
  const fault =
    Array.isArray(held) && held.length === 0 ? undefined : notShownIn({ Databases: held });
  if (fault !== undefined)
    throw new UsageError(
      `policy ${target.id} has to be set twice, first with what it holds and gives, and it holds what the API reference does not show: ${fault}; nothing was sent for it; set it with policy set first`,
    );
  const grant = comparison.added.map(({ operation, objectId }): Edit => ({
    operation: operation!,
    ids: objectId === null ? undefined : [objectId],
  }));
  return { Databases: applyEdits({ Databases: held }, { grant, revoke: [] })["Databases"] };
}
