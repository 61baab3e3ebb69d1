import { destinationOf } from "../deliver/targets.ts";
import { UsageError } from "../errors.ts";
import type { DeltaStatus } from "../../schemas/activation.ts";
import type { NamedTarget } from "../deliver/connector.ts";

/** The connector as it is configured for the rows of one class. */
export type ClassTarget = { readonly status: DeltaStatus; readonly target: NamedTarget };

/**
 * Throws UsageError where two classes of an activation go to a place that each delivery replaces. The second would take
 * away what the first has brought, and both would count as delivered.
 */
export function refuseSharedPlaces(name: string, classes: readonly ClassTarget[]): void {
  const places = classes.map(({ target }) => destinationOf(target).replaces?.(target));
  const second = places.findIndex((place, i) => place !== undefined && places.indexOf(place) < i);
  if (second < 0) return;
  const statuses = [places.indexOf(places[second]), second].map((i) => classes[i]!.status);
  throw new UsageError(
    `activation ${name}: the classes ${statuses.join(" and ")} both go to ${places[second]}, which each delivery replaces; give each class a place of its own by its connector_field`,
  );
}
