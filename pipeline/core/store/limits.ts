import { totalmem } from "node:os";
import type { ConfigFile } from "../../../schemas/config.ts";
import { readFileSync, statSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

/** What a database may use; without `threads` it takes one per processor. */
export type Limits = { readonly memoryLimit: string; readonly threads?: number | undefined };

export type ConfiguredLimits = Pick<ConfigFile, "memory_limit" | "threads">;

// A load takes as much again beside the database, for pages, their records and what it allocates unseen: together 1 GB
// at most.
const mostForLoads = 400e6;
const mostForReads = 2e9;
// Files on their way, and what each thread packs, take as much again: together 1 GB at most.
const mostForLake = 400e6;
const least = 128e6;
// The rest is for the page cache, for Node, and for other programs on the machine.
const share = 0.4;

/** What the database may use while it is written: as configured, else by the memory of the machine. */
export function loadLimits(config: ConfiguredLimits, bytes = readMachineBytes()): Limits {
  return computeLimits(mostForLoads, config, bytes);
}

/** What the database may use while its rows go into the lake. */
export function computeLakeLimits(config: ConfiguredLimits, bytes = readMachineBytes()): Limits {
  return computeLimits(mostForLake, config, bytes);
}

/** What the database may use for an answer, beyond which it spills to the disk. */
export function readLimits(config: ConfiguredLimits, bytes = readMachineBytes()): Limits {
  return computeLimits(mostForReads, config, bytes);
}

/** Bytes of the machine's memory or, where a container has less, of that. */
export function readMachineBytes(): number {
  const granted = process.constrainedMemory();
  return granted > 0 ? Math.min(granted, totalmem()) : totalmem();
}

function computeLimits(
  most: number,
  { memory_limit, threads }: ConfiguredLimits,
  bytes: number,
): Limits {
  const own = Math.max(least, Math.min(most, bytes * share));
  return { memoryLimit: memory_limit ?? `${Math.floor(own / 1e6)}MB`, threads };
}

/**
 * Refuses to write to a database that is larger than this process may make a file (`ulimit -f`). The database rewrites
 * some blocks in place; cut off at the limit, such a block would be lost.
 */
export function refuseLowLimit(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const limit = readFileSizeLimit();
  if (limit === undefined || limit > size) return;
  throw new AuditlakeError(
    `cannot write ${path}: the file size limit (ulimit -f) is ${limit} bytes, the file has ${size}: file too large; raise the limit`,
  );
}

// Known on Linux only.
function readFileSizeLimit(): number | undefined {
  try {
    const [, limit] =
      /^Max file size +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** A new path beside the published file, for what a query of this process spills; the folder is not created yet. */
export function newSpillFolder(published: string): string {
  return join(dirname(published), spillName(process.pid, randomBytes(4).toString("hex")));
}

/** Name of a folder to spill to. It holds the id of the process, so that folders of dead processes can be found. */
function spillName(pid: number, unique: string): string {
  return `.spill-${pid}-${unique}`;
}
