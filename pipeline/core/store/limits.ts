import { totalmem } from "node:os";
import type { ConfigFile } from "../../../schemas/config.ts";

/** What a database may use; without `threads` it takes one per processor. */
export type Limits = { readonly memoryLimit: string; readonly threads?: number | undefined };

type Configured = Pick<ConfigFile, "memory_limit" | "threads">;

// A load takes as much again beside the database, for pages, their records and what it allocates unseen: together 1 GB
// at most.
const mostForLoads = 400e6;
const mostForReads = 2e9;
// Files on their way, and what each thread packs, take as much again: together 1 GB at most.
const mostForLake = 400e6;
const least = 128e6;
// The rest is for the page cache, for Node, and for whoever else is on the machine.
const share = 0.4;

/** What the database may use while it is written: as configured, else by the memory of the machine. */
export function loadLimits(config: Configured, bytes = machineBytes()): Limits {
  return limitsWithin(mostForLoads, config, bytes);
}

/** What the database may use while its rows go into the lake. */
export function lakeLimits(config: Configured, bytes = machineBytes()): Limits {
  return limitsWithin(mostForLake, config, bytes);
}

/** What the database may use for an answer, beyond which it spills to the disk. */
export function readLimits(config: Configured, bytes = machineBytes()): Limits {
  return limitsWithin(mostForReads, config, bytes);
}

/** Bytes of the machine's memory or, where a container has less, of that. */
export function machineBytes(): number {
  const granted = process.constrainedMemory();
  return granted > 0 ? Math.min(granted, totalmem()) : totalmem();
}

function limitsWithin(most: number, { memory_limit, threads }: Configured, bytes: number): Limits {
  const own = Math.max(least, Math.min(most, bytes * share));
  return { memoryLimit: memory_limit ?? `${Math.floor(own / 1e6)}MB`, threads };
}
