import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { openPublished } from "../../pipeline/core/store/open.ts";
import { putWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";
import { run } from "./command.ts";

export type Loaded = {
  readonly home: string;
  readonly connection: DuckDBConnection;
  readonly close: () => Promise<void>;
};

/** Raw records and users through the real import, and a connection to what it published. */
export async function loadRecords(
  records: readonly Record<string, unknown>[],
  users: readonly Record<string, unknown>[],
  env: Record<string, string> = {},
  config: object = {},
): Promise<Loaded> {
  const { path, remove } = temporaryFolder();
  const file = join(path, "records.ndjson");
  const userFile = join(path, "users.json");
  const home = join(path, "home");
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  writeFileSync(userFile, JSON.stringify({ users }));
  const configFile = join(path, "auditlake.json");
  writeFileSync(configFile, JSON.stringify(config));
  await putWarehouse(home);
  const imported = await run(
    ["--home", home, "--config", configFile, "import", file, "--users", userFile],
    { env },
  );
  if (imported.code !== 0) throw new Error(`import failed: ${imported.err}`);
  const database = await openPublished(resolveHome(home).published, {
    memoryLimit: "500MB",
    threads: 2,
  });
  const close = async (): Promise<void> => {
    await database[Symbol.asyncDispose]();
    remove();
  };
  return { home, connection: database.connection, close };
}
