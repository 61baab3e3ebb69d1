import { existsSync, statSync } from "node:fs";
import { type Home, listOldStores } from "../../base/home/layout.ts";
import { surveyLog, type Survey } from "../../core/evidence/survey.ts";
import { listPrunedPaths, listTombstones, type Tombstone } from "../../core/landing/tombstones.ts";
import { listFilesBelow } from "../../core/landing/sweep.ts";
import { type ConfiguredLimits, readLimits } from "../../core/store/limits.ts";
import { listSources } from "../../core/store/limit-to-source.ts";
import { openPublished } from "../../core/store/open.ts";
import { stampText } from "../../base/time/text.ts";

/** Size of a file, and when it was written (RFC 3339); null if missing. */
export type FileFact = { readonly bytes: number; readonly written_at: string } | null;

/** What the home directory holds. Sizes only: the writer's file is never opened. */
export type HomeFiles = {
  readonly home: string;
  readonly published: FileFact;
  readonly warehouse: FileFact;
  /** Databases of an earlier version that an upgrade retained; null if none. */
  readonly old_store: { readonly bytes: number } | null;
  readonly landing: {
    readonly files: number;
    readonly bytes: number;
    /** From when on it gives the database alone (RFC 3339); null where nothing was pruned. */
    readonly pruned_before: string | null;
  };
  readonly evidence: Survey;
};

/** Reads facts about the files of the home directory; missing ones count as empty. */
export function readHomeFiles(home: Home): HomeFiles {
  const { root, published, warehouse, landing } = home;
  const tombstones = listTombstones(landing);
  return {
    home: root,
    published: readFileFact(published),
    warehouse: readFileFact(warehouse),
    old_store: readOldStore(home),
    landing: { ...readFolderFact(landing), pruned_before: findPrunedBefore(tombstones) },
    evidence: surveyLog(landing, listPrunedPaths(tombstones), false),
  };
}

/** Reads the sources in the published file; empty without one. */
export async function readLoadedSources(
  { published }: Home,
  config: ConfiguredLimits,
): Promise<string[]> {
  if (!existsSync(published)) return [];
  await using database = await openPublished(published, readLimits(config));
  return await listSources(database.connection);
}

function readOldStore(home: Home): HomeFiles["old_store"] {
  const stores = existsSync(home.root) ? listOldStores(home) : [];
  const bytes = stores.reduce((sum, store) => sum + store.bytes, 0);
  return stores.length === 0 ? null : { bytes };
}

function readFileFact(path: string): FileFact {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? { bytes: found.size, written_at: found.mtime.toISOString() } : null;
}

function readFolderFact(path: string): Pick<HomeFiles["landing"], "files" | "bytes"> {
  const sizes = listFilesBelow(path).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { files: sizes.length, bytes };
}

function findPrunedBefore(tombstones: readonly Tombstone[]): string | null {
  const moments = tombstones.map(({ before }) => before);
  const latest = moments.sort().at(-1);
  return latest === undefined ? null : stampText(latest);
}
