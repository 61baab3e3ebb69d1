import { join } from "node:path";
import { z } from "zod";
import { listJson, writeJson } from "../../base/home/json-files.ts";
import type { Home } from "../../base/home/layout.ts";

const change = z.strictObject({
  version: z.literal(1),
  // Names the file, and begins with the time, so that names are in the order of time.
  change_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  source: z.string(),
  policy_id: z.string(),
  sent_at: z.string(),
  verb: z.string(),
  by_whom: z.string(),
  api_user: z.string().nullable(),
  reason: z.string().nullable(),
  /** Permission sets as text. */
  before: z.string(),
  after: z.string(),
  outcome: z.string(),
  /** The interval in which the service took the set, by its own clock, as far as its answers had a time. */
  made_from: z.string().optional(),
  made_until: z.string().optional(),
});

/** A set that was sent to the service: sender, reason, previous set and outcome. */
export type SentChange = z.infer<typeof change>;

/** Decides whether the policy had the set when it was read back, alone or beside what the service adds. */
export function isInPlace({ outcome }: Pick<SentChange, "outcome">): boolean {
  return outcome === "in_place" || outcome === "kept_further";
}

const getFolder = ({ root }: Home): string => join(root, "policy-changes");

/** Writes a change durably: before it is sent with the outcome `begun`, and then with its final outcome. */
export async function keepChange(home: Home, sent: SentChange): Promise<void> {
  await writeJson(getFolder(home), sent.change_id, sent);
}

/** All changes that were sent from a home, oldest first; throws AuditlakeError for a file that cannot be read. */
export function listChanges(home: Home): SentChange[] {
  return listJson({
    folder: getFolder(home),
    schema: change,
    key: (sent) => sent.change_id,
    unreadable: " is not a valid record of a change; restore it from a backup or move it aside",
  });
}
