import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { policyId, landedSet } from "../../schemas/policies.ts";
import { AuditlakeError } from "../errors.ts";
import { writeDurably } from "../home/durable.ts";

const body = z.string().refine(isSet);

const landed = z.strictObject({
  version: z.literal(1),
  // Names the file.
  snapshot_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  source: z.string(),
  policies: z
    .array(z.strictObject({ policy_id: policyId, read_at: z.string(), body: body.nullable() }))
    .min(1),
});

/** One reading of some policies; a policy that the service does not know has a null body. */
export type LandedSnapshot = z.infer<typeof landed>;

/** Writes a snapshot durably, with the bodies as the service sent them, before it is stored. */
export async function landSnapshot(folder: string, snapshot: LandedSnapshot): Promise<void> {
  const path = join(folder, "policies", `${snapshot.snapshot_id}.json`);
  await writeDurably(path, Buffer.from(`${JSON.stringify(snapshot, null, 1)}\n`));
}

/** All landed snapshots, oldest first. */
export function listSnapshots(folder: string): LandedSnapshot[] {
  const path = join(folder, "policies");
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  const all = files.map((name) => parse(join(path, name)));
  const key = (one: LandedSnapshot): string => one.policies[0]!.read_at + one.snapshot_id;
  return all.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parse(path: string): LandedSnapshot {
  try {
    return landed.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `landed policy snapshot ${path} cannot be read; restore it from a backup or move it away`,
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
