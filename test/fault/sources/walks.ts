import type { SimEvent } from "./events.ts";

/** One reading of a window from its first page on, as the service saw it. */
export type Walk = {
  readonly night: number;
  /** Epoch milliseconds; the whole log where the requests name no window. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The service's clock at the first page, and what its Date header said. */
  startMs: number;
  dateMs: number;
  /** What each page showed, by the position asked for. */
  readonly pages: Map<string, readonly SimEvent[]>;
  /** Record texts of the pages so far. */
  readonly texts: string[];
  /** The last page was answered. */
  isComplete: boolean;
  /** The service repeated itself: the walk must be refused. */
  isPoisoned: boolean;
  /** Two pages were equal by chance: the walk may be refused. */
  isDoubtful: boolean;
};

/** A walk before its first page. */
export function newWalk(night: number, fromMs: number, toMs: number): Walk {
  const flags = { isComplete: false, isPoisoned: false, isDoubtful: false };
  return { night, fromMs, toMs, startMs: 0, dateMs: 0, pages: new Map(), texts: [], ...flags };
}

/** All records a walk showed, as often as it showed them. */
export function shownIn({ pages }: Walk): SimEvent[] {
  return [...pages.values()].flat();
}

/** Whether it may have been given up before its end, to be read in parts. */
export function mayBeCut({ pages, toMs }: Walk, readPages: number): boolean {
  const filled = [...pages.values()].filter((page) => page.length > 0).length;
  return toMs < Infinity && filled > readPages;
}

/** Which records are equal. */
export function keyOf({ id, label, isReadable }: SimEvent): string {
  return `${isReadable ? "" : "unreadable "}${id ?? ""}/${label}`;
}

/** How often each record occurs. */
export function countsOf(events: readonly SimEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
  return counts;
}
