import pLimit, { type LimitFunction } from "p-limit";
import type { ConfigFile } from "../../../schemas/config.ts";
import { UsageError } from "../../base/errors.ts";
import { besideBytes, bytesOf, type MemoryLimits } from "../../core/sandbox/limits.ts";
import { machineBytes, readLimits } from "../../core/store/limits.ts";
import { atOnce, BusyError, mostWaiting } from "./pool.ts";

/** How many statements run at the same time, and what the database of each may use. */
export type Share = MemoryLimits & { readonly parallel: number };

/** Statements of the pages: each runs in a process of its own, and all processes stay within one amount of memory. */
export type Statements = {
  readonly memory: MemoryLimits;
  /** Runs when a process is free; throws BusyError where too many wait already. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

const leastBytes = 128e6;

/**
 * Shares `serve.memory_limit`, by default half of the machine's memory, among as many processes as it is enough for.
 * Throws UsageError where it is not enough for one.
 */
export function shareMemory(config: ConfigFile, machine = machineBytes()): Share {
  const configured = config.serve.memory_limit;
  const total = configured === undefined ? machine / 2 : bytesOf(configured);
  const most = bytesOf(readLimits(config, machine).memoryLimit);
  const enough = Math.floor(total / (leastBytes + besideBytes));
  if (enough < 1 && configured !== undefined)
    throw new UsageError(
      `serve.memory_limit is ${configured}; expected at least ${Math.ceil((leastBytes + besideBytes) / 1e6)}MB, which one query process needs`,
    );
  const parallel = Math.max(1, Math.min(atOnce, enough));
  const own = Math.max(leastBytes, Math.min(most, total / parallel - besideBytes));
  const isConfigured = own === most && config.memory_limit !== undefined;
  const memoryName = isConfigured ? undefined : "serve.memory_limit";
  return { parallel, memoryLimit: `${Math.floor(own / 1e6)}MB`, memoryName };
}

/** The statements of one server. */
export function newStatements({ parallel, ...memory }: Share): Statements {
  const limit: LimitFunction = pLimit(parallel);
  return {
    memory,
    run: async (work) => {
      if (limit.pendingCount >= mostWaiting)
        throw new BusyError("too many questions at once; try again in a moment");
      return limit(work);
    },
  };
}
