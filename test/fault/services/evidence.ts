import type { SimEvent } from "./events.ts";
import { dayMs, type Manners } from "./plan.ts";

type Frame = { readonly windowMs: number; readonly lookbackMs: number };

/**
 * Decides whether nothing that a well-behaved service shows can prove the end of each of its windows. The
 * configuration then has to assert it. Section 4 rule 2, from what the service is, not from what it answered.
 */
export function needsWord(
  manners: Manners,
  { windowMs, lookbackMs }: Frame,
  runTimes: readonly number[],
  events: readonly SimEvent[],
): boolean {
  if (saysItsEnd(manners)) return false;
  const firstMs = Math.floor((runTimes[0]! - lookbackMs) / windowMs) * windowMs;
  const seen = events.filter((e) => e.visibleMs <= runTimes[0]! && e.timeMs >= firstMs);
  // Nothing was ever returned that an empty answer could be compared with.
  if (seen.length === 0) return true;
  // The content of the next window shows an end only once it is visible.
  const shown = events.filter((e) => e.visibleMs <= runTimes[1]!);
  if (givesMoreAround(manners, windowMs)) return hasLonelyWindow(manners, windowMs, events, shown);
  return manners.style === "none" || !isSeenToGoOn(manners, seen);
}

function saysItsEnd({ style, shape, total, end }: Manners): boolean {
  if (style === "page" || style === "offset") return true;
  if (total?.of === "selection") return true;
  return (style === "cursor" || style === "next_url") && shape === "envelope" && end === "null";
}

// Whether a longer range than a window can be asked for.
function givesMoreAround({ range }: Manners, windowMs: number): boolean {
  if ("unitMs" in range) return range.unitMs <= windowMs || windowMs >= dayMs;
  return range.how === "honoured";
}

// A window that cannot be cut, with nothing next to it.
function hasLonelyWindow(
  { range }: Manners,
  windowMs: number,
  events: readonly SimEvent[],
  shown: readonly SimEvent[],
): boolean {
  const windows = Map.groupBy(events, ({ timeMs }) => Math.floor(timeMs / windowMs));
  const near = new Set(shown.map(({ timeMs }) => Math.floor(timeMs / windowMs)));
  return [...windows].some(([number, own]) => {
    const isCut = range.how === "honoured" && new Set(own.map(({ timeMs }) => timeMs)).size > 1;
    return !isCut && !near.has(number - 1) && !near.has(number + 1);
  });
}

// If the range has no effect, all seen records come at once: more than a page, or half of it on request.
function isSeenToGoOn({ pageCap, obeysSize }: Manners, seen: readonly SimEvent[]): boolean {
  return seen.length > pageCap || (obeysSize && seen.length > 1);
}
