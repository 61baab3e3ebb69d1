import { join } from "node:path";
import { z } from "zod";
import { name } from "../../../schemas/name.ts";
import { listJson } from "../../base/home/json-files.ts";
import { landJson } from "./store.ts";

const landedMark = z.strictObject({
  version: z.literal(1),
  // The file is called so.
  mark_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  run_id: z.string(),
  source: name,
  start: z.string(),
  end: z.string(),
  state: z.enum(["gap", "accepted", "dated_ahead"]),
  marked_at: z.string(),
  note: z.string().describe("the reason, by a person or the program"),
});

/** An interval of time that was given up as a gap, accepted by hand, or read by a clock that was ahead, for a rebuild. */
export type LandedMark = z.infer<typeof landedMark>;

/** Writes a mark durably, before it counts. */
export async function landMark(landing: string, mark: LandedMark): Promise<void> {
  await landJson(landing, `marks/${mark.mark_id}.json`, mark);
}

/** Returns all landed marks, oldest first; throws AuditlakeError for an unreadable mark. */
export function listMarks(landing: string): LandedMark[] {
  return listJson({
    folder: getFolder(landing),
    schema: landedMark,
    key: (mark) => mark.marked_at + mark.mark_id,
    unreadable:
      ", the record of an accepted or given-up range, cannot be read; restore it from a backup, or move it away to continue without it",
  });
}

const getFolder = (landing: string): string => join(landing, "marks");
