import { join } from "node:path";
import { z } from "zod";
import { listJson } from "../../base/home/json-files.ts";
import { landJson } from "./store.ts";
import { manifestSchema } from "./manifests.ts";

const tombstone = z.strictObject({
  version: z.literal(1),
  // The file is called so.
  prune_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  pruned_at: z.string(),
  before: z.string(),
  source: z.string().nullable().describe("null: all sources"),
  with_events: z.boolean(),
  // Missing in tombstones of older versions, and of homes without a lake.
  keeps_folds: z.literal(true).optional(),
  events: z.int(),
  quarantined: z.int(),
  reads: z.array(manifestSchema),
});

/**
 * What stays of reads that were pruned from landing. It names what they were, so that a rebuild knows whose events it
 * has to take from a database.
 */
export type Tombstone = z.infer<typeof tombstone>;

/** Writes a tombstone durably; only then may anything that it names be removed. */
export async function writeTombstone(landing: string, tombstone: Tombstone): Promise<void> {
  await landJson(landing, `pruned/${tombstone.prune_id}.json`, tombstone);
}

/** Returns all tombstones, oldest first; throws AuditlakeError for an unreadable tombstone. */
export function listTombstones(landing: string): Tombstone[] {
  return listJson({
    folder: getFolder(landing),
    schema: tombstone,
    key: (one) => one.pruned_at + one.prune_id,
    unreadable:
      ", the record of a prune, cannot be read; restore it from a backup; without it rebuild would omit the events",
  });
}

/**
 * Lists pruned reads whose events were deleted as well, by the same prune or a later one over their windows. A prune
 * that retained the events for derived tables does not count.
 */
export function listPrunedReads(tombstones: readonly Tombstone[]): ReadonlySet<string> {
  const taking = tombstones.filter((one) => one.with_events && one.keeps_folds !== true);
  return new Set(
    tombstones.flatMap((own) =>
      own.reads
        .filter(({ source, window_end: end }) =>
          taking.some(
            (one) =>
              one === own ||
              (one.pruned_at >= own.pruned_at &&
                (one.source ?? source) === source &&
                end !== null &&
                end <= one.before),
          ),
        )
        .map(({ read_id: readId }) => readId),
    ),
  );
}

/** The paths of the manifests that were pruned, as the log names them. */
export function listPrunedPaths(tombstones: readonly Tombstone[]): ReadonlySet<string> {
  const reads = tombstones.flatMap((one) => one.reads);
  return new Set(reads.map(({ read_id: id }) => `reads/${id}.json`));
}

const getFolder = (landing: string): string => join(landing, "pruned");
