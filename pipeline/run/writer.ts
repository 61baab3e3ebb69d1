import { createHome } from "../home.ts";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readAsset } from "../assets.ts";
import { extendCatalog } from "../../schemas/catalog.ts";
import { catalog, columnSets } from "../../schemas/generated/catalog.ts";
import { toSeedSql } from "../../schemas/generators/sql.ts";
import { UsageError, messageOf } from "../errors.ts";
import type { StageRules } from "../landing/stage.ts";
import type { Settings } from "../settings.ts";
import { prepareLoad } from "../warehouse/load.ts";
import { migrate } from "../warehouse/migrate.ts";
import { openWarehouse, type Database } from "../warehouse/open.ts";
import { contentsOf, publish } from "../warehouse/publish.ts";
import type { World } from "../world.ts";
import { takeLock } from "./lock.ts";

/** What a verb that writes works with. */
export type Writer = {
  readonly database: Database;
  readonly rules: StageRules;
  readonly catalogVersion: string;
};

/**
 * Locks the home, opens and migrates the warehouse, lets `work` write, then closes it and publishes the copy
 * for readers, also when the work failed half way: what is committed becomes visible.
 */
export async function withWriter<T>(
  settings: Settings,
  world: World,
  command: string,
  maxRecordBytes: number,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const { home } = settings;
  const limits = { memoryLimit: settings.config.memory_limit, threads: settings.config.threads };
  createHome(home);
  using _lock = takeLock(home.lock, command, world.now());
  rmSync(home.staging, { recursive: true, force: true });
  mkdirSync(home.staging, { mode: 0o700 });
  const seedSql = seedOf(settings);
  const database = await openWarehouse(home.warehouse, join(home.staging, "tmp"), limits);
  try {
    const catalogVersion = await migrate(database.connection, seedSql);
    await prepareLoad(database.connection);
    return await work({ database, rules: stageRules(maxRecordBytes), catalogVersion });
  } finally {
    await database.connection.run("checkpoint");
    const contents = await contentsOf(database.connection);
    await database[Symbol.asyncDispose]();
    await publish(home.warehouse, home.published, contents, limits);
    rmSync(home.staging, { recursive: true, force: true });
  }
}

function stageRules(maxRecordBytes: number): StageRules {
  const { baseline } = JSON.parse(readAsset("schemas/fingerprint.json")) as { baseline: string[] };
  return { knownFields: Object.keys(catalog.fields), baseline, maxRecordBytes };
}

function seedOf(settings: Settings): string {
  const { extra } = settings.config.catalog;
  if (extra === undefined) return readAsset("schemas/generated/catalog.sql");
  const file = resolve(settings.configFolder, extra);
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return toSeedSql(extendCatalog(catalog, columnSets, [{ file, content }]));
  } catch (error) {
    throw new UsageError(`catalog.extra: ${messageOf(error)}`);
  }
}
