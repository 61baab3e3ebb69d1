import type { Exchange } from "../../../base/http/exchange.ts";
import { pause } from "../../../base/http/transport.ts";
import type { World } from "../../../base/world.ts";

/** What was there already, or the answer to the request that created it. */
export type Creation<T> = { readonly existing: T } | { readonly answer: Exchange };

const mostTries = 6;
const firstDelayMs = 1000;

/**
 * Creates an object that may exist only once. Where nobody knows whether a request created it, the object is looked
 * for, and created again only if it is not there.
 */
export async function makeOnce<T>(
  make: () => Promise<Exchange>,
  find: () => Promise<T | undefined>,
  world: Pick<World, "sleep" | "signal">,
): Promise<Creation<T>> {
  for (let n = 1; ; n++) {
    const answer = await make();
    if (!isUncertain(answer)) return { answer };
    const existing = await find();
    if (existing !== undefined) return { existing };
    if (n === mostTries) return { answer };
    await pause(firstDelayMs * 2 ** n, world);
  }
}

function isUncertain(found: Exchange): boolean {
  if (found.outcome !== "answered") return found.outcome === "lost" && !found.isFinal;
  return found.answer.status >= 500;
}
