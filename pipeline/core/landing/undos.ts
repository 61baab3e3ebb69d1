import { join } from "node:path";
import { z } from "zod";
import { name } from "../../../schemas/name.ts";
import { listJson } from "../../base/home/json-files.ts";
import { landJson } from "./store.ts";

const landedUndo = z.strictObject({
  version: z.literal(1),
  // The file is called so.
  read_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  run_id: z.string(),
  source: name,
  undone_at: z.string(),
});

/** An import that was taken back: its pages stay, and no rebuild loads them. */
export type LandedUndo = z.infer<typeof landedUndo>;

/** Writes an undo durably, before anything of its import is removed. */
export async function landUndo(landing: string, undo: LandedUndo): Promise<void> {
  await landJson(landing, `undone/${undo.read_id}.json`, undo);
}

/** Returns all landed undos, oldest first; throws AuditlakeError for an unreadable undo. */
export function listUndos(landing: string): LandedUndo[] {
  return listJson({
    folder: getFolder(landing),
    schema: landedUndo,
    key: (undo) => undo.undone_at + undo.read_id,
    unreadable:
      ", the record of an undone import, cannot be read; restore it from a backup, or move it away to restore the import",
  });
}

/** The reads that were taken back. */
export function listUndoneReads(landing: string): ReadonlySet<string> {
  return new Set(listUndos(landing).map(({ read_id: readId }) => readId));
}

const getFolder = (landing: string): string => join(landing, "undone");
