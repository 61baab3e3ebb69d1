import { isDeepStrictEqual } from "node:util";
import { classTargets } from "./classes.ts";
import type { ClassTarget } from "./class-places.ts";
import { tryTo } from "../deliveries/target.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { Named } from "./chosen.ts";
import { byEndpoint } from "./fetched.ts";

/**
 * Checks the connector of each class of an activation, as `tryTo` does. A connector that several classes share is
 * checked once. Returns what was found, by class. Throws what an activation throws before it delivers.
 */
export async function tryActivation(
  given: Named,
  sends: boolean,
  settings: Settings,
  world: World,
): Promise<string[]> {
  const lines: string[] = [];
  const { name, activation } = await byEndpoint(given, settings, world, (line) => lines.push(line));
  for (const { status, classes, target } of distinct(
    classTargets(name, activation, settings, world),
  ))
    for (const line of await tryTo(target, sends, settings, world))
      lines.push(`${[status, ...classes].join(", ")}: ${line}`);
  return lines;
}

type Distinct = ClassTarget & { readonly classes: string[] };

function distinct(all: readonly ClassTarget[]): Distinct[] {
  const found: Distinct[] = [];
  for (const { status, target } of all) {
    const same = found.find((each) => isDeepStrictEqual(each.target, target));
    if (same === undefined) found.push({ status, target, classes: [] });
    else same.classes.push(status);
  }
  return found;
}
