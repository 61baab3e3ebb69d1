import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCode, UsageError } from "../errors.ts";

// `readers_group` of the configuration: who besides the owner may read the published file.

/** Returns the id of a group of the machine; undefined without a name. Throws UsageError for an unknown group. */
export function findGroupId(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const line =
    findLine(name, readFileSync("/etc/group", "utf8")) ?? findLine(name, askDirectory(name));
  if (line === undefined)
    throw new UsageError(
      `readers_group: the group ${name} does not exist on this machine; create it, or choose another`,
    );
  return Number(line.split(":")[2]);
}

function findLine(name: string, groups: string): string | undefined {
  return groups.split("\n").find((line) => line.startsWith(`${name}:`));
}

// Groups of a directory service are in no file.
function askDirectory(name: string): string {
  try {
    return execFileSync("getent", ["group", name], { encoding: "utf8", stdio: "pipe" });
  } catch {
    return "";
  }
}

/** Removes the rights of others from all files in a folder except one: a copied home may have some. */
export function closeAllBut(file: string, folder: string): void {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const entry = lstatSync(path);
    const { mode } = entry;
    if (path !== file && !entry.isSymbolicLink() && (mode & 0o077) !== 0)
      chmodSync(path, mode & 0o700);
  }
}

/** Gives a path to a group, with a mode; throws UsageError where this user may not. */
export function giveToGroup(path: string, groupId: number, mode: number): void {
  const { uid, gid, mode: before } = statSync(path);
  try {
    if (gid !== groupId) chownSync(path, uid, groupId);
    if ((before & 0o777) !== mode) chmodSync(path, mode);
  } catch (error) {
    if (!isCode(error, "EPERM")) throw error;
    throw new UsageError(
      `readers_group: this user cannot change the group of ${path} to id ${groupId}; add the user to that group, or choose another`,
    );
  }
}
