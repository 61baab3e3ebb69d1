import { destinationOf } from "../registry.ts";
import { UsageError } from "../../base/errors.ts";
import type { DeltaStatus } from "../../../schemas/activation.ts";
import type { NamedTarget } from "../targets/connector.ts";

/** The connector as it is configured for the rows of one class. */
export type ClassTarget = { readonly status: DeltaStatus; readonly target: NamedTarget };

/**
 * Throws UsageError where two classes of an activation go to one place that a delivery replaces. The second would take
 * away what the first has brought, and both would count as delivered.
 */
export function refuseSharedPlaces(name: string, classes: readonly ClassTarget[]): void {
  const places = classes.map(({ target }) => placeOf(target));
  const isLost = ({ place, isReplaced }: Place, i: number): boolean =>
    places.some((other, k) => k < i && other.place === place && (isReplaced || other.isReplaced));
  const second = places.findIndex(isLost);
  if (second < 0) return;
  const { place } = places[second]!;
  const first = places.findIndex((other) => other.place === place);
  const statuses = [first, second].map((i) => classes[i]!.status);
  throw new UsageError(
    `activation ${name}: the classes ${statuses.join(" and ")} both go to ${place}, which a delivery replaces; give each class a place of its own by its connector_field`,
  );
}

type Place = { readonly place: string; readonly isReplaced: boolean };

function placeOf(target: NamedTarget): Place {
  const { replaces, describe } = destinationOf(target);
  const replaced = replaces?.(target);
  return { place: replaced ?? describe(target), isReplaced: replaced !== undefined };
}
