import { listHoldings, type Holding } from "./holdings.ts";
import type { Fact } from "./record.ts";

/** Whether it is in force at the moment. */
export function isHeldAt({ from, to }: Pick<Holding, "from" | "to">, time: number): boolean {
  return (from === null || from <= time) && (to === null || to > time);
}

/** Lists the ids of the policy's members at the moment, as far as the log shows. */
export function membersAt(facts: readonly Fact[], policyId: string | null, time: number): string[] {
  if (policyId === null) return [];
  const own = listHoldings(facts).filter((h) => h.scope === `Policies ${policyId}`);
  return own.filter((h) => isHeldAt(h, time)).map((h) => h.subjectId!);
}

/** Whether the policy has `manage` on databases at the moment, as far as the log shows. */
export function managesAt(facts: readonly Fact[], policyId: string | null, time: number): boolean {
  return listHoldings(facts).some(
    (h) =>
      h.subjectKind === "policy" &&
      h.subjectId === policyId &&
      h.right.kind === "Databases" &&
      h.right.operation === "manage" &&
      isHeldAt(h, time),
  );
}
