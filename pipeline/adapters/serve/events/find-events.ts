import pLimit from "p-limit";
import { buildRows, type EventPlace } from "../../../answers/events/rows.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { fromTimestamp } from "../../../base/time/text.ts";
import { runSearch } from "../search.ts";
import type { Visit } from "../visit.ts";
import type { Search } from "./address.ts";
import {
  eventsOfPage,
  type ListedEvent,
  readListedEvents,
  rowsOfPage,
  takePage,
} from "./listed-events.ts";

/** How far a search has come: it goes back in time. */
export type SearchProgress = {
  /** What was found so far, the newest first. */
  readonly events: readonly ListedEvent[];
  /** All from here on has been looked through. */
  readonly reachedMs: number;
  /** Whether the search is complete or found enough. */
  readonly isEnd: boolean;
};

const dayMs = 86_400_000;
// The newest events of half a day are a page in most searches; later intervals grow, while they are quick.
const firstIntervalMs = dayMs / 2;
const steadyIntervalMs = 7 * dayMs;
const quickMs = 250;

// Leaves connections of the pool to short requests.
const longOnes = pLimit(2);

/**
 * Looks for the events of a page from the newest back, an interval of time after the other, until there are enough or the
 * range is over. Other questions are let in between, and the page shows how far it has come. Throws AuditlakeError where
 * it takes longer than a question may.
 */
export async function* searchEvents(
  { site, gone }: Pick<Visit, "site" | "gone">,
  { filters, selected, place, isFolded }: Search,
): AsyncGenerator<SearchProgress> {
  const startedMs = site.world.now();
  const most = (isFolded ? eventsOfPage : rowsOfPage) + 1;
  const events: ListedEvent[] = [];
  let intervalMs = firstIntervalMs;
  const newestMs = findEnd(selected.endMs, place);
  for (let endMs = newestMs; ;) {
    const startMs = Math.max(selected.startMs, endMs - intervalMs);
    const statement = buildRows(filters, { startMs, endMs }, most - events.length, place);
    const lookUp = (): ReturnType<typeof runSearch> => runSearch(site, statement, gone);
    const { columns, rows, tookMs } = await (endMs === newestMs ? lookUp() : longOnes(lookUp));
    events.push(...readListedEvents(columns, rows));
    const isEnd = startMs <= selected.startMs || takePage(events, isFolded).next !== undefined;
    yield { events: [...events], reachedMs: startMs, isEnd };
    if (isEnd) return;
    refuseLate(site, site.world.now() - startedMs);
    endMs = startMs;
    if (tookMs < quickMs) intervalMs *= 4;
    else if (intervalMs < steadyIntervalMs) intervalMs *= 2;
  }
}

// An event of the same moment as the place may still be below it.
function findEnd(endMs: number, place: EventPlace | undefined): number {
  return Math.min(endMs, place === undefined ? Infinity : fromTimestamp(place.time) + 1);
}

function refuseLate({ timeoutMs }: Visit["site"], tookMs: number): void {
  if (tookMs <= timeoutMs) return;
  throw new AuditlakeError(`stopped after ${timeoutMs / 1000} s; there may be more`);
}
