/** What setting a policy gives and takes away, rights in short as `query:101`, and who belongs to it. */
export type Change = {
  readonly id: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Undefined where it is not known: then anybody may. */
  readonly members: ReadonlySet<string> | undefined;
};

/** A set to be sent: the wanted one, or first only what it gives, beside what is there. */
export type Sending = { readonly id: string; readonly isGivingAlone: boolean };

/**
 * In which order to set policies so that nobody loses in between a right that they have before and after. What gives a
 * right to somebody goes before what takes it from them. Where each of two waits for the other, one of them is sent
 * twice, first with what it gives.
 */
export function orderOf(changes: readonly Change[]): Sending[] {
  const waiting = changes.toSorted((a, b) => rankOf(a) - rankOf(b));
  const given = new Set<Change>();
  const order: Sending[] = [];
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
const rankOf = ({ added, removed }: Change): number =>
  removed.length === 0 ? 0 : added.length > 0 ? 1 : 2;

// Whether one takes from somebody what the other gives them; manage is all of it.
function mustWait(one: Change, other: Change): boolean {
  if (one === other || !doShare(one, other)) return false;
  return one.removed.some((right) =>
    other.added.some((gift) => gift === right || gift === "manage" || right === "manage"),
  );
}

function doShare({ members: one }: Change, { members: other }: Change): boolean {
  if (one === undefined || other === undefined) return true;
  return [...one].some((person) => other.has(person));
}
