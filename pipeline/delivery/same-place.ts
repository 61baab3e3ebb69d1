import type { NamedTarget } from "../deliver/connector.ts";
import type { Ledger } from "../deliver/ledger.ts";
import { destinationOf } from "../deliver/targets.ts";
import { UsageError } from "../errors.ts";
import { sha256Of } from "../home/sha256.ts";

// What went out of a delivery is in the place that its target named then. The rest of it, sent elsewhere, would make
// two halves of what is told as one whole.

const fact = "place";

/** Whether a delivery was begun with its target at another place than it names now. */
export function isElsewhere(target: NamedTarget, ledger: Pick<Ledger, "fact">): boolean {
  const [before, now] = [ledger.fact(fact), placeOf(target)];
  return before !== undefined && now !== undefined && digestIn(before) !== digestIn(now);
}

/** Throws UsageError where a delivery was begun with its target at another place. */
export function refuseElsewhere(target: NamedTarget, ledger: Pick<Ledger, "fact">): void {
  if (!isElsewhere(target, ledger)) return;
  const before = ledger.fact(fact)!;
  const then = before.slice(before.indexOf(" ") + 1);
  const now = destinationOf(target).describe(target);
  throw new UsageError(
    `target ${target.name} is another place (${now}) than when the delivery was begun (${then}), where part of it may be; nothing was sent; put the target back to go on, or begin another (export --new, activate reset)`,
  );
}

/** Notes the place on a delivery that begins; throws UsageError where it was begun at another one. */
export async function keepPlace(
  target: NamedTarget,
  ledger: Pick<Ledger, "fact" | "setFact">,
): Promise<void> {
  refuseElsewhere(target, ledger);
  const place = placeOf(target);
  if (place !== undefined && ledger.fact(fact) === undefined) await ledger.setFact(fact, place);
}

// An address may be a secret, so a digest stands for it.
function placeOf(target: NamedTarget): string | undefined {
  const { place, describe } = destinationOf(target);
  if (place === undefined) return undefined;
  return `${sha256Of(JSON.stringify(place(target))).slice(0, 16)} ${describe(target)}`;
}

function digestIn(place: string): string {
  return place.slice(0, place.indexOf(" "));
}
