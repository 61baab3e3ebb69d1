import { existsSync } from "node:fs";
import { join } from "node:path";
import { catalog } from "../../../schemas/generated/catalog.ts";
import type { IdentityFields } from "../../../schemas/generators/key.ts";
import { readAsset } from "../../base/home/assets.ts";
import { makeFolders, putInPlace } from "../../base/home/durable.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readStoredExtra, type Seed } from "../store/catalog.ts";
import { loadLimits } from "../store/limits.ts";
import { prepareLoad } from "../store/loading/finish.ts";
import type { LoadFields } from "../store/loading/read-facts.ts";
import { migrate, type MigrationResult } from "../store/migrate.ts";
import { openWarehouse, describeWarehouseFault, type Database } from "../store/open.ts";
import { guardCommits } from "../../base/sql/transaction.ts";
import type { World } from "../../base/world.ts";
import { tryLock } from "../../base/home/lock.ts";
import { findLog } from "../evidence/log.ts";
import { readCatalogWith, readPublishedExtra, buildSeed } from "./catalog.ts";
import { describeProgram } from "./program.ts";
import { printer } from "../../base/notice/printer.ts";

/** What a verb that writes works with. */
export type Writer = MigrationResult & {
  readonly database: Database;
  readonly fields: LoadFields;
};

/** Opens a warehouse file for writing: created if missing, migrated and ready to load. */
export async function openWriter(settings: Settings, path: string, world: World): Promise<Writer> {
  const { warehouse } = settings.home;
  if (path === warehouse && !existsSync(path) && !existsSync(`${path}.wal`))
    await makeWarehouse(settings, world);
  return openMigratedWriter(settings, path, world);
}

// The database writes the first blocks of a file without waiting for the disk: it gets its name when they are there.
async function makeWarehouse(settings: Settings, world: World): Promise<void> {
  const { staging, warehouse } = settings.home;
  makeFolders(staging);
  const newPath = join(staging, "new.duckdb");
  await (await openMigratedWriter(settings, newPath, world)).database[Symbol.asyncDispose]();
  await putInPlace(newPath, warehouse);
}

async function openMigratedWriter(settings: Settings, path: string, world: World): Promise<Writer> {
  const temporary = join(settings.home.staging, "tmp");
  const printing = { nowMs: world.now(), print: printer(world) };
  const database = await openWarehouse(path, temporary, loadLimits(settings.config), printing);
  try {
    const { connection } = database;
    const lock = tryLock(settings.home.lock);
    const log = findLog(settings.home.landing);
    guardCommits(connection, async () => {
      lock?.check();
      await log?.sync();
    });
    const readStored = async (): Promise<string | null> =>
      (await readStoredExtra(connection)) ?? (await readPublishedExtra(settings));
    let catalogSql = "";
    const readSeed = async (): Promise<Seed> => {
      const seed = buildSeed(await readCatalogWith(settings, readStored));
      catalogSql = seed.sql;
      return seed;
    };
    const steps = { print: printer(world), signal: world.signal };
    const migrated = await migrate(connection, readSeed, steps);
    log?.addProgram(describeProgram(catalogSql));
    await prepareLoad(connection);
    const fields = { fields: catalog.fields, identity: readIdentityFields() };
    return { ...migrated, database, fields };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw describeWarehouseFault(path, error);
  }
}

function readIdentityFields(): IdentityFields {
  return (JSON.parse(readAsset("schemas/identity.json")) as { fields: IdentityFields }).fields;
}
