import { readFileSync } from "node:fs";
import { join } from "node:path";
import { computeSha256 } from "../../base/home/durable.ts";
import type { Leaf } from "../../core/evidence/leaf.ts";
import { formatManifest, type Manifest } from "../../core/landing/manifests.ts";
import { listTombstones } from "../../core/landing/tombstones.ts";

/** A manifest that a prune record has, and the hash of the file that it was. */
type PrunedManifest = { readonly manifest: Manifest; readonly sha256: string };

/** What prune records have of reads, by their ids. */
export type PruneRecords = ReadonlyMap<string, readonly PrunedManifest[]>;

/** Reads the prune records that the log has an entry of, with the same bytes; others count for nothing. */
export function readPruneRecords(landing: string, leaves: readonly Leaf[]): PruneRecords {
  const logged = new Set(
    leaves.flatMap((leaf) =>
      leaf.kind === "prune" && hashFile(join(landing, leaf.path)) === leaf.sha256 ? leaf.path : [],
    ),
  );
  if (logged.size === 0) return new Map();
  const records = listTombstones(landing).filter(({ prune_id: id }) =>
    logged.has(`pruned/${id}.json`),
  );
  const reads = records.flatMap((record) =>
    record.reads.map((manifest) => ({ manifest, sha256: computeSha256(formatManifest(manifest)) })),
  );
  return Map.groupBy(reads, ({ manifest }) => manifest.read_id);
}

function hashFile(path: string): string | undefined {
  try {
    return computeSha256(readFileSync(path));
  } catch {
    return undefined;
  }
}
