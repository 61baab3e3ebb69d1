import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import type { Home } from "../../../base/home/layout.ts";
import { bringActivationRuns } from "./runs.ts";

/** Folder of what activations remember, one file each. */
export function activationsFolder({ root }: Home): string {
  return join(root, "activations");
}

const ending = ".duckdb";

/** The file of an activation's state. */
export function activationFile(home: Home, name: string): string {
  return join(activationsFolder(home), `${name}${ending}`);
}

/** The file with the highest number that a delivery of an activation has had; to forget the rest leaves it. */
export function numberFile(home: Home, name: string): string {
  return join(activationsFolder(home), `${name}.number`);
}

/** The file that holds the rows of a user's own report while an activation takes them; it is no memory. */
export function rowsFile(home: Home, name: string): string {
  return join(activationsFolder(home), `${name}.rows`);
}

/**
 * Brings the runs of all activations into the warehouse. Those that are there already stay, and those of an activation
 * that is running now come after it.
 */
export async function bringAllRuns(home: Home, connection: DuckDBConnection): Promise<void> {
  const folder = activationsFolder(home);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((each) => each.endsWith(ending)).sort())
    await bringActivationRuns(connection, join(folder, name), basename(name, ending)).catch(
      (error: unknown) => {
        const isRunning = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
        if (!isRunning) throw error;
      },
    );
}
