import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

/** A new path beside the published file for what a reader of this process spills; nothing is made yet. */
export function newSpillFolder(published: string): string {
  return join(dirname(published), spillName(process.pid, randomBytes(4).toString("hex")));
}

/** Name of the folder that a reader spills to; the process is in it, so that a dead one's can be told. */
export function spillName(pid: number, unique: string): string {
  return `.spill-${pid}-${unique}`;
}
