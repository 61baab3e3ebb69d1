import type { Row } from "../../support/rows.ts";
import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { listCounts, filledIn, isWhole, type Range, shownIn, type Walk } from "./walks.ts";

/** A read in the ledger: one walk over its window, or two over the parts of it. */
export type Read = Range & { readonly runIndex: number; readonly walks: readonly Walk[] };

/** The reads of a ledger with their walks, in the order of their start, and those without. */
export type Matched = { readonly reads: readonly Read[]; readonly complaints: readonly string[] };

/** Finds the walks of each read that the ledger has, by the digests of the pages that were stored. */
export function matched({ runs }: Plan, walks: readonly Walk[], rows: readonly Row[]): Matched {
  const free = new Set(walks.filter(isWhole));
  const reads: Read[] = [];
  const complaints: string[] = [];
  for (const row of rows) {
    const runIndex = runs.findIndex(({ localMs }) => localMs === Number(row["read_ms"]));
    const range = { fromMs: Number(row["from_ms"]), toMs: Number(row["to_ms"]) };
    const own = [...free].filter((walk) => walk.runIndex === runIndex);
    const found = listWalks(row, range, own);
    const shown = (found ?? []).flatMap(shownIn).length;
    if (found === undefined) complaints.push(`${getName(row)} is of no whole walk`);
    else if (shown !== Number(row["fetched"]))
      complaints.push(`${getName(row)}: fetched ${Number(row["fetched"])}, shown ${shown}`);
    for (const walk of found ?? []) free.delete(walk);
    if (found !== undefined) reads.push({ ...range, runIndex, walks: found });
  }
  const begin = ({ walks: [first] }: Read): number => walks.indexOf(first!);
  return { reads: reads.sort((a, b) => begin(a) - begin(b)), complaints };
}

// Equal walks are distinguished by the service's time, if that advanced.
function listWalks(row: Row, range: Range, walks: readonly Walk[]): readonly Walk[] | undefined {
  const stored = (row["pages"] as readonly string[]).join();
  const isStored = (...parts: readonly Walk[]): boolean =>
    stored === parts.flatMap(filledIn).map(formatPage).join();
  const wholes = walks
    .filter(({ fromMs, toMs }) => fromMs <= range.fromMs && toMs >= range.toMs)
    .filter((walk) => isSame(walk, range) || walk.toMs === Infinity)
    .map((walk) => [walk]);
  const found = [...wholes, ...listHalves(range, walks)].filter((parts) => isStored(...parts));
  const serverMs = Number(row["server_ms"]);
  return found.find(([first]) => first!.dateMs === serverMs) ?? found[0];
}

function listHalves(range: Range, walks: readonly Walk[]): Walk[][] {
  return walks.flatMap((second, i) => {
    const first = walks
      .slice(0, i)
      .findLast(({ fromMs, toMs }) => fromMs === range.fromMs && toMs === second.fromMs);
    return first === undefined || second.toMs !== range.toMs ? [] : [[first, second]];
  });
}

function formatPage({ sha256 }: { readonly sha256: string }): string {
  return sha256;
}

function isSame(a: Range, b: Range): boolean {
  return a.fromMs === b.fromMs && a.toMs === b.toMs;
}

function getName(row: Row): string {
  return `read ${String(row["read_id"])}`;
}

/** How often a read shows each record that `is` picks; parts may overlap by a second, so the one that has most counts. */
export function shownBy(
  { walks }: Read,
  is: (event: SimEvent) => boolean = () => true,
): Map<string, number> {
  const most = new Map<string, number>();
  for (const walk of walks)
    for (const [key, count] of listCounts(shownIn(walk).filter(is)))
      most.set(key, Math.max(most.get(key) ?? 0, count));
  return most;
}
