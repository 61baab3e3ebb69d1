import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { makeTemporary } from "../../base/home/temporary.ts";
import { quotedText } from "../../../schemas/quoted.ts";

/** Copies a database in memory into a file, for a process that is confined to one; `using` removes it. */
export async function emptyFile(
  connection: DuckDBConnection,
): Promise<Disposable & { readonly path: string }> {
  const folder = makeTemporary("doctor");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "empty.duckdb");
    await connection.run(`attach ${quotedText(path)} as empty (storage_version 'v1.5.0')`);
    await connection.run("copy from database memory to empty");
    await connection.run("detach empty");
    return { path, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
