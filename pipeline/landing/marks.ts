import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { name } from "../../schemas/name.ts";
import { writeDurably } from "../home/durable.ts";
import { AuditlakeError } from "../errors.ts";

const landedMark = z.strictObject({
  version: z.literal(1),
  // The file is called so.
  mark_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  run_id: z.string(),
  source: name,
  start: z.string(),
  end: z.string(),
  state: z.enum(["gap", "accepted"]),
  marked_at: z.string(),
  note: z.string().describe("why, in a person's words or the program's"),
});

/** An interval of time that was given up as a gap, or accepted by hand, as it is kept for a rebuild. */
export type LandedMark = z.infer<typeof landedMark>;

/** Writes a mark durably, before it counts. */
export async function landMark(folder: string, mark: LandedMark): Promise<void> {
  const path = join(folder, "marks", `${mark.mark_id}.json`);
  await writeDurably(path, Buffer.from(`${JSON.stringify(mark, null, 1)}\n`));
}

/** All landed marks, oldest first; throws AuditlakeError for one that cannot be read. */
export function listMarks(folder: string): LandedMark[] {
  const path = join(folder, "marks");
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((file) => file.endsWith(".json"));
  const key = (mark: LandedMark): string => mark.marked_at + mark.mark_id;
  return files.map((file) => parse(join(path, file))).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parse(path: string): LandedMark {
  try {
    return landedMark.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `${path}, which says what was accepted or given up, cannot be read; restore it from a backup, or move it away to do without`,
    );
  }
}
