import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { existsSync, rmSync, statSync } from "node:fs";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { isOfStorage, OldStoreError, openFault, refuseOldStore } from "./fault.ts";
import { type Limits, newSpillFolder, refuseLowLimit } from "./limits.ts";
import { requirePublished } from "../../base/home/published.ts";
import { explainOtherViews, OtherViewsError } from "./other-views.ts";
import { noteThreads, type OpenedThreads, openInstance } from "../../base/sql/instance.ts";
import { type Printing, withoutBadWal } from "./wal.ts";

/** An open database that `await using` closes. */
export type Database = AsyncDisposable & {
  readonly connection: DuckDBConnection;
  /** Opens another connection for concurrent queries; close it before the database. */
  readonly connect: () => Promise<DuckDBConnection>;
};

/**
 * Opens the writer's file, created if missing; temporary files go to the given folder. A write-ahead log that does not
 * replay is renamed and reported through `printing`. Throws AuditlakeError if the file does not open, with exit code 5
 * if another program has it.
 */
export async function openWarehouse(
  path: string,
  tempFolder: string,
  limits: Limits,
  printing: Printing,
): Promise<Database> {
  refuseLowLimit(path);
  const threads = chooseThreads(path, limits);
  const options = {
    storage_compatibility_version: "v1.5.0",
    // One text of 16 kB prevents dictionary compression of a column, and by default short texts are not compressed
    // otherwise. Query texts would be a third of the file.
    zstd_min_string_length: "1",
    // A checkpoint writes the last row group of each table again. By default one follows every 16 MB, which is every
    // second window of a large log.
    checkpoint_threshold: "128MB",
    temp_directory: tempFolder,
    // Returns freed memory to the system at once, at no measurable cost; the default retains 128 MB and more.
    allocator_flush_threshold: "16MB",
    allocator_bulk_deallocation_flush_threshold: "32MB",
    // Rows are sorted where it matters; preserving the input order takes memory.
    preserve_insertion_order: "false",
    ...buildOptions(limits, threads),
  };
  try {
    return await withoutBadWal(
      path,
      options,
      printing,
      () => open(path, options, threads),
      async (database) => database[Symbol.asyncDispose](),
    );
  } catch (error) {
    throw describeWarehouseFault(path, error);
  }
}

/**
 * Describes the fault of a warehouse that does not open, or that the first statements show to be damaged; other errors
 * stay unchanged.
 */
export function describeWarehouseFault(path: string, error: unknown): unknown {
  if (error instanceof AuditlakeError || !isOfStorage(error)) return error;
  const advice = `readers still use the published file; run ${formatCommand("rebuild")} to rebuild it from the stored pages`;
  return openFault(path, error, advice);
}

/**
 * Opens the published file for reading, with advice if nothing was published. Data beyond the memory limit is spilled
 * into this reader's own folder beside the file. With a source, connections see only its rows.
 */
export async function openPublished(
  path: string,
  limits: Limits,
  source?: string,
): Promise<Database> {
  requirePublished(path);
  const spill = newSpillFolder(path);
  const removeSpill = (): void => rmSync(spill, { recursive: true, force: true, maxRetries: 3 });
  try {
    const threads = chooseThreads(path, limits);
    const options = {
      access_mode: "READ_ONLY",
      temp_directory: spill,
      ...buildOptions(limits, threads),
    };
    const database = await open(path, options, threads);
    try {
      await refuseOldStore(database.connection);
      await limitSources(explainOtherViews(database.connection), source);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
    // Also applies if the process ends without closing, for example on a closed output pipe.
    process.once("exit", removeSpill);
    return {
      ...database,
      connect: async () => limitSources(explainOtherViews(await database.connect()), source),
      [Symbol.asyncDispose]: async () => {
        await database[Symbol.asyncDispose]();
        process.off("exit", removeSpill);
        removeSpill();
      },
    };
  } catch (error) {
    removeSpill();
    if (isExplained(error)) throw error;
    const advice = existsSync(`${path}.wal`)
      ? `another program opened it for writing and left ${path}.wal; run ${formatCommand("publish")}, which repairs both`
      : `run ${formatCommand("publish")}, which replaces it with a good copy`;
    throw openFault(path, error, advice);
  }
}

function isExplained(error: unknown): boolean {
  const kinds = [OldStoreError, OtherViewsError, UsageError];
  return kinds.some((kind) => error instanceof kind);
}

async function limitSources(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<DuckDBConnection> {
  if (source === undefined) return connection;
  // Loaded on demand: rarely needed, and loading takes time.
  const { limitToSource } = await import("./limit-to-source.ts");
  await limitToSource(connection, source);
  return connection;
}

/** Opens an unpublished copy of the writer's file for work that does not depend on time zones. */
export async function openCopy(path: string, limits: Limits): Promise<Database> {
  const options = buildOptions(limits, chooseThreads(path, limits));
  const instance = await openInstance(path, { access_mode: "READ_ONLY", ...options });
  return wrapDatabase(instance, () => instance.connect());
}

export async function openInMemory(limits: Limits): Promise<Database> {
  const threads: OpenedThreads = { most: limits.threads, first: "all" };
  return open(":memory:", buildOptions(limits, threads), threads);
}

// One thread reads a file of this size before a second one has started.
const smallFileBytes = 32e6;

function chooseThreads(path: string, { threads }: Limits): OpenedThreads {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { most: threads, first: bytes <= smallFileBytes ? "one" : "all" };
}

function buildOptions(
  { memoryLimit }: Limits,
  { most, first }: OpenedThreads,
): Record<string, string> {
  const threads = first === "one" ? 1 : most;
  return {
    memory_limit: memoryLimit,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    ...(threads === undefined ? {} : { threads: String(threads) }),
  };
}

async function open(
  path: string,
  options: Record<string, string>,
  threads: OpenedThreads,
): Promise<Database> {
  const instance = await openInstance(path, options);
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect();
    await connection.run("set TimeZone = 'UTC'");
    noteThreads(connection, threads);
    return connection;
  };
  return wrapDatabase(instance, connect);
}

async function wrapDatabase(
  instance: DuckDBInstance,
  connect: () => Promise<DuckDBConnection>,
): Promise<Database> {
  const connection = await connect();
  return {
    connection,
    connect,
    [Symbol.asyncDispose]: () => {
      connection.closeSync();
      instance.closeSync();
      return Promise.resolve();
    },
  };
}
