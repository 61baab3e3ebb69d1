import { join } from "node:path";
import { z } from "zod";
import { policyId, landedSet } from "../../../schemas/policies.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { landDocument, type LandedDocument, listDocuments, readDocument } from "./documents.ts";

const body = z.string().refine(isSet);

const landed = z.strictObject({
  version: z.literal(1),
  // Names the file.
  snapshot_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  source: z.string(),
  policies: z
    .array(
      z.strictObject({
        policy_id: policyId,
        read_at: z.string(),
        // The interval of the reading by the service's clock, where its answer had a time.
        earliest_at: z.string().optional(),
        latest_at: z.string().optional(),
        body: body.nullable(),
      }),
    )
    .min(1),
});

/** One reading of some policies; a policy that the service does not know has a null body. */
export type LandedSnapshot = z.infer<typeof landed>;

/** Writes a snapshot durably, with the bodies as the service sent them, before it is stored. */
export async function landSnapshot(folder: string, snapshot: LandedSnapshot): Promise<void> {
  await landDocument(folder, `policies/${snapshot.snapshot_id}`, JSON.stringify(snapshot));
}

/** Returns the landed snapshots without the known ids, oldest first. */
export function listSnapshots(folder: string, known: ReadonlySet<string>): LandedSnapshot[] {
  const all = listDocuments(join(folder, "policies"))
    .filter(({ name }) => !known.has(name))
    .map(parseSnapshot);
  const sortKey = (one: LandedSnapshot): string => one.policies[0]!.read_at + one.snapshot_id;
  return all.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function parseSnapshot(document: LandedDocument): LandedSnapshot {
  try {
    return landed.parse(readDocument(document));
  } catch {
    throw new AuditlakeError(
      `landed policy snapshot ${document.path} cannot be read; restore it from a backup or move it away`,
    );
  }
}

function isSet(text: string): boolean {
  try {
    return landedSet.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
