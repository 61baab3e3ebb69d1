import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { main } from "../../pipeline/cli.ts";
import { homeAt } from "../../pipeline/home/layout.ts";
import { openPublished } from "../../pipeline/store/open.ts";
import type { World } from "../../pipeline/world.ts";
import { testWorld } from "./world.ts";

export type Loaded = {
  readonly home: string;
  readonly connection: DuckDBConnection;
  readonly close: () => Promise<void>;
};

/** A new folder below the system's temporary one, with what removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs the command line in this process and returns what it printed. */
export async function run(
  argv: readonly string[],
  env: Record<string, string> = {},
  overrides: Partial<World> = {},
): Promise<{ code: number; out: string; err: string }> {
  const world = testWorld({ env, ...overrides });
  process.exitCode = undefined;
  const code = await main(argv, world);
  process.exitCode = undefined;
  return { code, out: world.out(), err: world.err() };
}

/** What has the texts of queries read. */
export const readingTexts = { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "600s" };

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
  const imported = await run(
    ["--home", home, "--config", configFile, "import", file, "--users", userFile],
    env,
  );
  if (imported.code !== 0) throw new Error(`import failed: ${imported.err}`);
  const database = await openPublished(homeAt(home).published, {
    memoryLimit: "500MB",
    threads: 2,
  });
  const close = async (): Promise<void> => {
    await database[Symbol.asyncDispose]();
    remove();
  };
  return { home, connection: database.connection, close };
}
