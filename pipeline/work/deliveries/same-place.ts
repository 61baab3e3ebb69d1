import type { NamedTarget } from "../targets/connector.ts";
import type { Ledger } from "../targets/ledger.ts";
import { destinationOf } from "../registry.ts";
import { UsageError } from "../../base/errors.ts";
import { sha256Of } from "../../base/home/sha256.ts";

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
  const then = nameOfPlace(ledger.fact(fact)!);
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

function placeOf(target: NamedTarget): string | undefined {
  return destinationOf(target).place === undefined ? undefined : placeText(target);
}

/** A text that two targets share if rows come to the same place, and that names it behind a space. */
export function placeText(target: NamedTarget): string {
  const { place, describe } = destinationOf(target);
  const name = describe(target);
  // An address may be a secret, so a digest stands for it.
  return `${sha256Of(JSON.stringify(place?.(target) ?? name)).slice(0, 16)} ${name}`;
}

/** What a text of a place names. */
export function nameOfPlace(text: string): string {
  return text.slice(text.indexOf(" ") + 1);
}

function digestIn(place: string): string {
  return place.slice(0, place.indexOf(" "));
}
