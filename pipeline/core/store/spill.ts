import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

/** A new path beside the published file, for what a query of this process spills; the folder is not created yet. */
export function newSpillFolder(published: string): string {
  return join(dirname(published), spillName(process.pid, randomBytes(4).toString("hex")));
}

/** Name of a folder to spill to. It holds the id of the process, so that folders of dead processes can be found. */
export function spillName(pid: number, unique: string): string {
  return `.spill-${pid}-${unique}`;
}
