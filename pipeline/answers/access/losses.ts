import { allows, lastUse, type Right, type Use } from "./least.ts";

/** A member who would lose a right: when somebody last used it, and whether they have it by another way. */
export type Loss = {
  readonly person: string;
  readonly right: Right;
  readonly lastUsedAt: string | null;
  readonly hasOtherwise: boolean;
};

/** A member of the policy with one right that they have by another way; null where they have none. */
export type Member = { readonly person: string; readonly otherwise: Right | null };

/** What each member would lose of the rights that are held. */
export function lossesOf(
  held: readonly Right[],
  proposed: readonly Right[],
  uses: readonly Use[],
  members: readonly Member[],
): Loss[] {
  const lost = held.filter(({ operation, id }) => !allows(proposed, operation, id, false));
  const byPerson = Map.groupBy(members, ({ person }) => person);
  return [...byPerson].flatMap(([person, those]) => {
    const others = those.flatMap(({ otherwise }) => otherwise ?? []);
    const own = uses.filter((use) => use.person === person);
    return lost.map((right) => ({
      person,
      right,
      lastUsedAt: lastUse(own, right),
      hasOtherwise: allows(others, right.operation, right.id, false),
    }));
  });
}
