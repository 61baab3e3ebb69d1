import type { DuckDBConnection } from "@duckdb/node-api";
import { statSync } from "node:fs";
import pLimit from "p-limit";
import type { LimitFunction } from "p-limit";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { type Limits, readMachineBytes, readLimits } from "../../core/store/limits.ts";
import { limitToSource } from "../../core/store/limit-to-source.ts";
import { type Database, openPublished } from "../../core/store/open.ts";
import { requirePublished } from "../../base/home/published.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { besideBytes, parseBytes, type MemoryLimits } from "../../core/sandbox/limits.ts";

/**
 * The published file for many concurrent requests; the next request uses a new publication. Closing waits for running
 * requests.
 */
export type Pool = AsyncDisposable & {
  /** Lends a connection, limited to one source if it is given; throws BusyError where too many wait already. */
  readonly use: <T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    source?: string,
  ) => Promise<T>;
};

/** More ask at once than can be answered soon. */
export class BusyError extends AuditlakeError {
  override name = "BusyError";
}

/** Questions that are answered at the same time. */
export const atOnce = 4;
/** Questions that may wait for one of them to end. */
export const mostWaiting = 64;

type OpenedDatabase = {
  readonly mark: string;
  readonly database: Database;
  users: number;
  isOld: boolean;
};

/** A pool over what the settings name, with the memory of the configuration. */
export function openPool({ home, config, flags }: Settings): Pool {
  return newPool(home.published, readLimits(config), flags.source);
}

/** Builds a pool over the published file, or one source in it; `open` runs at the first request. */
export function newPool(
  path: string,
  limits: Limits,
  source?: string,
  open: typeof openPublished = openPublished,
): Pool {
  const limit: LimitFunction = pLimit(atOnce);
  const opening = pLimit(1);
  const running = new Set<Promise<unknown>>();
  let current: OpenedDatabase | undefined;
  let isClosed = false;
  const openLatest = async (): Promise<OpenedDatabase> => {
    if (isClosed) throw new AuditlakeError("this server is shutting down");
    const mark = readMark(path);
    if (current?.mark === mark) return current;
    const database = await open(path, limits, source);
    const before = current;
    current = { mark, database, users: 0, isOld: false };
    if (before !== undefined) await retireOpened(before);
    return current;
  };
  // Counted before the next one may put another file in its place.
  const takeOpened = async (): Promise<OpenedDatabase> => {
    const opened = await openLatest();
    opened.users += 1;
    return opened;
  };
  return {
    use: async (work, wanted = source) => {
      if (limit.pendingCount >= mostWaiting)
        throw new BusyError("too many requests at the same time; try again in a moment");
      const answer = limit(async () =>
        lendConnection(await opening(takeOpened), async (connection) => {
          if (wanted !== undefined && wanted !== source) await limitToSource(connection, wanted);
          return work(connection);
        }),
      );
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      await Promise.allSettled(running);
      if (current !== undefined) await retireOpened(current);
    },
  };
}

async function lendConnection<T>(
  opened: OpenedDatabase,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  try {
    const connection = await opened.database.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    opened.users -= 1;
    if (opened.isOld && opened.users === 0) await opened.database[Symbol.asyncDispose]();
  }
}

// Who reads it still is let finish.
async function retireOpened(opened: OpenedDatabase): Promise<void> {
  opened.isOld = true;
  if (opened.users === 0) await opened.database[Symbol.asyncDispose]();
}

/** Returns what identifies a publication: each replaces the previous file, so it is a different file. */
export function readMark(path: string): string {
  requirePublished(path);
  const { dev, ino, mtimeNs } = statSync(path, { bigint: true });
  return `${dev}:${ino}:${mtimeNs}`;
}

/** How many statements run at the same time, and what the database of each may use. */
type Share = MemoryLimits & { readonly parallel: number };

/** Statements of the pages: each runs in a process of its own, and all processes stay within one amount of memory. */
export type Statements = {
  readonly memory: MemoryLimits;
  /** Runs when a process is free; throws BusyError where too many wait already. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

const leastBytes = 128e6;

/**
 * Shares `serve.memory_limit`, by default half of the machine's memory, among as many processes as it suffices for.
 * Throws UsageError if it does not suffice for one.
 */
export function shareMemory(config: ConfigFile, machine = readMachineBytes()): Share {
  const configured = config.serve.memory_limit;
  const total = configured === undefined ? machine / 2 : parseBytes(configured);
  const most = parseBytes(readLimits(config, machine).memoryLimit);
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
        throw new BusyError("too many requests at the same time; try again in a moment");
      return limit(work);
    },
  };
}

/**
 * Caches an expensive answer while the same file is published, for a limited time. Concurrent requests share one
 * answer. Failed answers are not cached.
 */
export function cacheWhilePublished<A, T>(
  path: string,
  now: () => number,
  maxAgeMs: number,
  work: (argument: A) => Promise<T>,
): (argument: A) => Promise<T> {
  let kept: { mark: string; sinceMs: number; answer: Promise<T> } | undefined;
  return (argument) => {
    const mark = readMark(path);
    const isFresh = kept?.mark === mark && now() - kept.sinceMs < maxAgeMs;
    if (kept !== undefined && isFresh) return kept.answer;
    const mine = { mark, sinceMs: now(), answer: work(argument) };
    kept = mine;
    mine.answer.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return mine.answer;
  };
}
