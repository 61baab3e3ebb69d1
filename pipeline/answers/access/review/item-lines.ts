import { toTimestamp } from "../../../base/time/text.ts";
import type { Settings } from "../../../base/home/settings.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import { listChanges } from "../log.ts";
import { keyOf, type Item } from "./item.ts";
import type { Decision, Review } from "./kept-decisions.ts";
import { holdingsAt } from "./rights.ts";
import { endsSince, heldKeys, standingOf, takingsSince, type Standing } from "./standing.ts";

/** An item of a review, with what was decided and what came of it. */
export type Line = {
  readonly item: Item;
  readonly decision: Decision | undefined;
  readonly state: Standing["state"] | "kept" | "not decided";
  readonly end: Standing["end"];
};

/** Whether nothing is left to do. */
export const isDone = (state: Line["state"]): boolean =>
  ["kept", "sent", "done by hand"].includes(state);

/** The items of a review as they stand now, in its order. */
export async function linesOf(
  review: Review,
  decisions: ReadonlyMap<string, Decision>,
  settings: Settings,
  world: World,
): Promise<Line[]> {
  const on = toTimestamp(world.now());
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { connection } = database;
  const held = heldKeys(await holdingsAt(connection, { source: review.source, on }));
  const endOf = await endsSince(connection, review);
  const takings = takingsSince(listChanges(settings.home), review);
  return review.items.map((item) => {
    const decision = decisions.get(item.row);
    const word = decision?.decision ?? null;
    if (word !== "revoke")
      return { item, decision, state: word === null ? "not decided" : "kept", end: undefined };
    return { item, decision, ...standingOf(item, held.has(keyOf(item)), endOf(item), takings) };
  });
}
