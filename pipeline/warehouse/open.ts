import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { existsSync } from "node:fs";
import { AuditlakeError } from "../errors.ts";

/** An open database that `await using` closes. */
export type Database = AsyncDisposable & { readonly connection: DuckDBConnection };

export type Limits = { readonly memoryLimit: string; readonly threads?: number | undefined };

/** Opens the writer's file, creating it when missing; temporary files go to the given folder. */
export async function openWarehouse(
  path: string,
  tempFolder: string,
  limits: Limits,
): Promise<Database> {
  return open(path, {
    storage_compatibility_version: "v1.5.0",
    temp_directory: tempFolder,
    ...common(limits),
  });
}

/** Opens the published file for reading; says what to do when nothing was published yet. */
export async function openPublished(path: string, limits: Limits): Promise<Database> {
  if (!existsSync(path))
    throw new AuditlakeError(
      `nothing published yet: ${path} does not exist; run auditlake ingest or import first`,
    );
  return open(path, { access_mode: "READ_ONLY", ...common(limits) });
}

/** Opens an empty database in memory. */
export async function openInMemory(limits: Limits): Promise<Database> {
  return open(":memory:", common(limits));
}

function common({ memoryLimit, threads }: Limits): Record<string, string> {
  return {
    memory_limit: memoryLimit,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    ...(threads === undefined ? {} : { threads: String(threads) }),
  };
}

async function open(path: string, options: Record<string, string>): Promise<Database> {
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return {
    connection,
    [Symbol.asyncDispose]: () => {
      connection.closeSync();
      instance.closeSync();
      return Promise.resolve();
    },
  };
}
