import type { DuckDBConnection } from "@duckdb/node-api";
import type { Manifest } from "../landing/manifests.ts";
import { PageDamage, readPage } from "../landing/store.ts";
import type { Interval } from "../../base/time/periods.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import { timesOf } from "../records/event-times.ts";
import { oldReads, repeatingFiles, type PruneScope } from "../store/prune.ts";

/** The loaded reads that a prune meets: those older than its moment, and files with records on both sides of it. */
export type MetReads = { readonly old: ReadonlySet<string>; readonly straddling: Set<string> };

/**
 * Finds the reads that are older than a moment. A file may hold events that others brought: of such a one the landed
 * pages tell how old it is.
 */
export async function metReads(
  connection: DuckDBConnection,
  scope: PruneScope,
  landing: string,
  manifests: readonly Manifest[],
): Promise<MetReads> {
  const old = await oldReads(connection, scope);
  const repeating = await repeatingFiles(connection, scope);
  const straddling = new Set<string>();
  const beforeMs = fromTimestamp(scope.before);
  for (const manifest of manifests) {
    const { read_id: id } = manifest;
    if (old.has(id) || !repeating.has(id)) continue;
    const { startMs, endMs } = await spanOf(landing, manifest);
    if (startMs <= endMs && endMs <= beforeMs) old.add(id);
    else if (startMs < beforeMs) straddling.add(id);
  }
  return { old, straddling };
}

// From the first to the last time that its records show; Infinity stands for one that shows none.
async function spanOf(landing: string, manifest: Manifest): Promise<Interval> {
  let [startMs, endMs] = [Infinity, -Infinity];
  for (const page of manifest.pages) {
    for (const ms of await timesIn(landing, page, manifest.records_at)) {
      startMs = Math.min(startMs, ms);
      endMs = Math.max(endMs, ms);
    }
  }
  return { startMs, endMs };
}

async function timesIn(
  landing: string,
  page: Manifest["pages"][number],
  recordsAt: string | null,
): Promise<number[]> {
  try {
    const times = timesOf(await readPage(landing, page), page.format, recordsAt);
    // A record whose time is not seen here may be a young one.
    return times.map((ms) => ms ?? Infinity);
  } catch (error) {
    // Nobody knows how old what is lost was: its read stays until a rebuild has left it out.
    if (error instanceof PageDamage) return [Infinity];
    throw error;
  }
}
