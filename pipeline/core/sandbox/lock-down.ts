import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import { openInstance } from "../../base/sql/instance.ts";
import type { Hidden } from "./hidden.ts";
import type { Result, SandboxRequest } from "./protocol.ts";

/** Name under which the database of a result is attached; nothing else can be written to. */
export const givenDatabase = "given";

/**
 * Opens the published file so that a statement reaches that file alone, and what the request lets it write. With a
 * source the file has the name of `hidden`, and another database is to stand in its place.
 */
export async function openLocked(
  request: SandboxRequest,
  hidden?: Hidden,
): Promise<DuckDBConnection> {
  const instance = await openInstance(hidden ? ":memory:" : request.database, {
    ...(hidden ? {} : { access_mode: "READ_ONLY" }),
    threads: String(request.threads),
    memory_limit: request.memoryLimit,
    // Without a folder to spill to, want of memory is reported as such.
    temp_directory: request.spill ?? "",
    ...(request.spill === undefined ? { max_temp_directory_size: "0KB" } : {}),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
  });
  const connection = await instance.connect();
  const first = hidden === undefined ? [] : behind(request.database, hidden);
  for (const statement of [...first, ...lockDown(request)]) await connection.run(statement);
  return connection;
}

// What the database notes of values shows the least and greatest ones, also of rows that a view leaves out.
function behind(database: string, { file, inPlace }: Hidden): string[] {
  return [
    `attach ${quotedText(database)} as ${file} (read_only, hidden true)`,
    `attach ':memory:' as ${quotedName(inPlace)}`,
    `use ${file}`,
    "set disabled_optimizers = 'statistics_propagation'",
  ];
}

// The order matters: what is opened or allowed comes first. The file systems can be closed only while settings can be
// changed. Closing them first would block the setting of external access (seen with DuckDB 1.5.6). The files that are
// open already stay within reach.
function lockDown({ result, spill }: SandboxRequest): string[] {
  const { parquet, table } = fileOf(result);
  const needsFiles = spill !== undefined || typeof result === "object";
  return [
    "set TimeZone = 'UTC'",
    ...(parquet === undefined ? [] : [`set allowed_paths = [${quotedText(parquet)}]`]),
    ...(table === undefined
      ? []
      : [`attach ${quotedText(table)} as ${givenDatabase} (read_write, storage_version 'v1.5.0')`]),
    // Plans as they were bound: all that is wrong is found, and nothing runs ahead of being asked.
    ...(result === "nothing" ? ["pragma disable_optimizer"] : []),
    "set enable_external_access = false",
    ...(needsFiles ? [] : ["set disabled_filesystems = 'LocalFileSystem'"]),
    "set lock_configuration = true",
  ];
}

function fileOf(result: Result): { readonly parquet?: string; readonly table?: string } {
  return typeof result === "object" ? result : {};
}
