import type { Fact } from "./record.ts";

/** When something was there: null where it was so before the records, or is so after them. */
export type Life = {
  readonly from: number | null;
  readonly to: number | null;
  readonly madeAt: number | null;
};

/**
 * Lists the existence intervals of a policy or a database in the records. In one second it may be created and deleted
 * several times, in any order that fits its previous state.
 */
export function listIntervals(facts: readonly Fact[], kind: string, id: string): Life[] {
  const own = facts.filter(
    (f) =>
      f.outcome === "succeeded" &&
      f.text("resource_id") === id &&
      f.canonical?.startsWith(`${kind}_`) &&
      // Who leaves a policy that was deleted does not bring it back.
      f.canonical !== "permission_policy_detach_user",
  );
  if (own.length === 0) return [{ from: null, to: null, madeAt: null }];
  const ended: Life[] = [];
  let life: Life | undefined;
  const end = (to: number): void => {
    if (life !== undefined && life.from !== to) ended.push({ ...life, to });
    life = undefined;
  };
  const seconds = [...Map.groupBy(own, (f) => f.time)].toSorted(([a], [b]) => a - b);
  for (const [time, group] of seconds) {
    const made = group.filter((f) => f.canonical === `${kind}_create`).length;
    const deleted = group.filter((f) => f.canonical === `${kind}_delete`).length;
    const isFirst = time === seconds[0]![0];
    if (isFirst && made + deleted === 0) life = { from: null, to: null, madeAt: null };
    if (isFirst && deleted > made) life = { from: null, to: null, madeAt: null };
    const isThere = deleted === made ? life !== undefined || deleted === 0 : made > deleted;
    if (made + deleted > 0) end(time);
    if (isThere) life ??= { from: time, to: null, madeAt: made > 0 ? time : null };
  }
  return life === undefined ? ended : [...ended, life];
}
