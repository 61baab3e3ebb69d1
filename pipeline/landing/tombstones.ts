import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../home/durable.ts";
import { AuditlakeError } from "../errors.ts";
import { manifestSchema } from "./manifests.ts";

const tombstone = z.strictObject({
  version: z.literal(1),
  // The file is called so.
  prune_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  pruned_at: z.string(),
  before: z.string(),
  source: z.string().nullable().describe("null: all sources"),
  with_events: z.boolean(),
  // Tombstones of older versions, and of homes without a lake, lack it.
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
export async function writeTombstone(folder: string, tombstone: Tombstone): Promise<void> {
  const path = join(folder, "pruned", `${tombstone.prune_id}.json`);
  await writeDurably(path, Buffer.from(`${JSON.stringify(tombstone, null, 1)}\n`));
}

/** All tombstones, oldest first; throws AuditlakeError for one that cannot be read. */
export function listTombstones(folder: string): Tombstone[] {
  const path = join(folder, "pruned");
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  const key = (one: Tombstone): string => one.pruned_at + one.prune_id;
  return files.map((name) => parse(join(path, name))).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parse(path: string): Tombstone {
  try {
    return tombstone.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `${path}, which says what was pruned, cannot be read; restore it from a backup; without it rebuild would leave those events out`,
    );
  }
}
