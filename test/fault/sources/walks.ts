import type { SimEvent } from "./events.ts";

/** A range of event time in epoch milliseconds; the whole log where the requests name no window. */
export type Range = { readonly fromMs: number; readonly toMs: number };

/** One page as it was answered, with the digest of its bytes. */
export type ShownPage = { readonly events: readonly SimEvent[]; readonly sha256: string };

/** One reading of a range from its first page on, as the service saw it. */
export type Walk = Range & {
  readonly runIndex: number;
  /** The service's clock at the first page and what its Date header said; its clock at the newest page. */
  startMs: number;
  dateMs: number;
  endMs: number;
  /** What each page showed, by the position asked for. */
  readonly pages: Map<string, ShownPage>;
  /** The last page was answered. */
  isComplete: boolean;
  /** The service repeated itself: the reader must refuse the walk. */
  isPoisoned: boolean;
  /** A record was left out of a page. */
  isShort: boolean;
};

/** A range that a reader had to give up in a run, since a request for it failed as often as it may be retried. */
export type Broken = Range & { readonly runIndex: number };

/** A walk before its first page. */
export function newWalk(runIndex: number, fromMs: number, toMs: number): Walk {
  const flags = { isComplete: false, isPoisoned: false, isShort: false };
  return { runIndex, fromMs, toMs, startMs: 0, dateMs: 0, endMs: 0, pages: new Map(), ...flags };
}

/** Whether a reader got all of it, and nothing that it must refuse. */
export function isWhole({ isComplete, isPoisoned }: Walk): boolean {
  return isComplete && !isPoisoned;
}

/** All records a walk showed, as often as it showed them. */
export function shownIn({ pages }: Walk): SimEvent[] {
  return [...pages.values()].flatMap(({ events }) => events);
}

/** Pages that hold records. */
export function filledIn({ pages }: Walk): ShownPage[] {
  return [...pages.values()].filter(({ events }) => events.length > 0);
}

/** Which records are equal. */
export function getKey({ id, label, isReadable }: SimEvent): string {
  return `${isReadable ? "" : "unreadable "}${id ?? ""}/${label}`;
}

/** How often each record occurs. */
export function listCounts(events: readonly SimEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(getKey(event), (counts.get(getKey(event)) ?? 0) + 1);
  return counts;
}
