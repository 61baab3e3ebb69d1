import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { catalog } from "../../schemas/generated/catalog.ts";
import { toSeedSql } from "../../schemas/generators/sql.ts";
import { readAsset } from "../assets.ts";
import { createHome } from "../home.ts";
import type { StageRules } from "../landing/stage.ts";
import type { Settings } from "../settings.ts";
import { prepareLoad, type LoadFields } from "../warehouse/load.ts";
import { migrate } from "../warehouse/migrate.ts";
import { openWarehouse, type Database, type Limits } from "../warehouse/open.ts";
import { contentsOf, publish } from "../warehouse/publish.ts";
import type { World } from "../world.ts";
import { knownCatalog } from "./catalog.ts";
import { takeLock } from "./lock.ts";

/** What a verb that writes works with. */
export type Writer = {
  readonly database: Database;
  readonly rules: StageRules;
  readonly fields: LoadFields;
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
  return withLock(settings, world, command, async () => {
    const { home } = settings;
    const writer = await openWriter(settings, home.warehouse, maxRecordBytes);
    try {
      return await work(writer);
    } finally {
      await closeAndPublish(settings, writer);
    }
  });
}

/** Holds the run lock of the home, with an empty staging folder, while `work` runs. */
export async function withLock<T>(
  { home }: Settings,
  world: World,
  command: string,
  work: () => Promise<T>,
): Promise<T> {
  createHome(home);
  using _lock = takeLock(home.lock, command, world.now());
  rmSync(home.staging, { recursive: true, force: true });
  mkdirSync(home.staging, { mode: 0o700 });
  try {
    return await work();
  } finally {
    rmSync(home.staging, { recursive: true, force: true });
  }
}

/** Opens a warehouse file for writing, migrated and ready to load. */
export async function openWriter(
  settings: Settings,
  path: string,
  maxRecordBytes: number,
): Promise<Writer> {
  const temporary = join(settings.home.staging, "tmp");
  const database = await openWarehouse(path, temporary, limitsOf(settings));
  try {
    const catalogVersion = await migrate(database.connection, seedOf(settings));
    await prepareLoad(database.connection);
    const { baseline } = JSON.parse(readAsset("schemas/fingerprint.json")) as {
      baseline: string[];
    };
    const rules = { baseline, maxRecordBytes };
    return { database, rules, fields: { fields: catalog.fields, baseline }, catalogVersion };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** Publishes the warehouse as it is; no writer may be open. */
export async function publishWarehouse(settings: Settings): Promise<void> {
  await closeAndPublish(settings, await openWriter(settings, settings.home.warehouse, 1));
}

async function closeAndPublish(settings: Settings, { database }: Writer): Promise<void> {
  const { home } = settings;
  await database.connection.run("checkpoint");
  const contents = await contentsOf(database.connection);
  await database[Symbol.asyncDispose]();
  await publish(home.warehouse, home.published, contents, limitsOf(settings));
}

/** What the database may use. */
export function limitsOf({ config }: Settings): Limits {
  return { memoryLimit: config.memory_limit, threads: config.threads };
}

/** The SQL that fills the catalog tables, with the user's own events. */
export function seedOf(settings: Settings): string {
  const isPlain = settings.config.catalog.extra === undefined;
  return isPlain ? readAsset("schemas/generated/catalog.sql") : toSeedSql(knownCatalog(settings));
}
