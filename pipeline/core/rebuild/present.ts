import { warning } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { Settings } from "../../base/home/settings.ts";
import { loadLimits } from "../store/limits.ts";
import { listOldPrunes, listOldReads } from "../store/carry.ts";
import {
  describeCause,
  DatabaseDamage,
  isOfStorage,
  isOutside,
  OldStoreError,
} from "../store/fault.ts";
import { listSourceIds } from "../store/ledger/coverage.ts";
import { openWarehouse, type Database } from "../store/open.ts";
import { readWhole } from "../store/publish.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { World } from "../../base/world.ts";
import { storeLanded } from "../load/policy-snapshot.ts";
import type { MovedFile } from "./restore.ts";
import { finishPrunes, finishUndos, recordPrunes } from "./finish-prunes.ts";
import { openWriter, type Writer } from "../writer/open.ts";
import { printer } from "../../base/notice/printer.ts";

/** A database that there is before a rebuild: to compare with, and to take from what landing no longer has. */
export type PresentStore = {
  readonly path: string;
  /** Undefined where it is one of version 1, whose keys were others. */
  readonly digest: string | undefined;
  /** The moment of each read that it holds, by the name of the read. */
  readonly reads: ReadonlyMap<string, string>;
  /** What names the records of a source, where it is not `id`. */
  readonly ids: ReadonlyMap<string, string>;
};

/** What `findPresent` found: `isDamaged` where a warehouse is there and cannot be read. */
export type FoundStore = {
  readonly present: PresentStore | undefined;
  readonly isDamaged: boolean;
};

/**
 * The warehouse or, where that is missing or damaged, a copy of the published file in the staging folder. It
 * is read whole first, and closed again. Throws where the warehouse does not open for another reason.
 */
export async function findPresent(settings: Settings, world: World): Promise<FoundStore> {
  const { warehouse, published, staging } = settings.home;
  const print = printer(world);
  let isDamaged = false;
  if (existsSync(warehouse)) {
    const own = await examineStore(settings, warehouse, world);
    if (typeof own !== "string") return { present: own, isDamaged };
    isDamaged = true;
    print(warning("database_damaged", { database: warehouse, why: own }));
  }
  if (!existsSync(published)) return { present: undefined, isDamaged };
  const copy = join(staging, "present.duckdb");
  copyFileSync(published, copy);
  chmodSync(copy, 0o600);
  const other = await examineStore(settings, copy, world);
  if (typeof other !== "string") return { present: other, isDamaged };
  print(warning("published_damaged", { published, why: other }));
  return { present: undefined, isDamaged };
}

/** Lists files that a new database must not overwrite: a damaged database, or one of version 1. */
export function listMovedFiles(
  { present, isDamaged }: FoundStore,
  { warehouse }: Home,
): MovedFile[] {
  const isFormer = present !== undefined && present.digest === undefined;
  return [
    ...(isDamaged ? [{ path: warehouse, as: "damaged" as const }] : []),
    ...(isFormer ? [{ path: present.path, as: "version-1" as const }] : []),
  ];
}

// What keeps the file from being read, where that is damage.
async function examineStore(
  settings: Settings,
  path: string,
  world: World,
): Promise<PresentStore | string> {
  let writer: Writer;
  try {
    writer = await openWriter(settings, path, world);
  } catch (error) {
    if (error instanceof OldStoreError) return examineOldStore(settings, path, world);
    // A rebuild does not help if another program has the file open, or space or permission is missing.
    if (!(error instanceof DatabaseDamage)) throw error;
    return error.reason;
  }
  await using database = writer.database;
  const { connection } = database;
  const fault = await findFault(connection);
  if (fault !== undefined) return fault;
  await finishPrunes(settings.home, connection);
  await finishUndos(settings.home, writer);
  await storeLanded(settings.home.landing, connection);
  await connection.run("checkpoint");
  return {
    path,
    digest: await computeDigest(writer),
    reads: await listReads(database),
    ids: await listSourceIds(connection),
  };
}

// One of version 1 is only read; prunes that its program broke off are entered in landing first.
async function examineOldStore(
  settings: Settings,
  path: string,
  world: World,
): Promise<PresentStore | string> {
  const { home } = settings;
  const printing = { nowMs: world.now(), print: printer(world) };
  const folder = join(home.staging, "tmp");
  await using database = await openWarehouse(path, folder, loadLimits(settings.config), printing);
  const { connection } = database;
  const fault = await findFault(connection);
  if (fault !== undefined) return fault;
  await recordPrunes(home.landing, await listOldPrunes(connection));
  const reads = await listOldReads(connection);
  await connection.run("checkpoint");
  return { path, digest: undefined, reads, ids: new Map() };
}

async function findFault(connection: DuckDBConnection): Promise<string | undefined> {
  try {
    await readWhole(connection);
    return undefined;
  } catch (error) {
    if (!isOfStorage(error) || isOutside(error)) throw error;
    return describeCause(getMessage(error));
  }
}

// The moments decide the order in which a rebuild takes them.
async function listReads({ connection }: Database): Promise<Map<string, string>> {
  const rows = await queryFile(connection, "queries/rebuild/carried.sql#held");
  return new Map(rows.map((row) => [String(row["read_id"]), String(row["read_at"])]));
}

export async function computeDigest({ database }: Writer): Promise<string> {
  const [row] = await queryFile(database.connection, "queries/load/digest.sql");
  return String(row?.["digest"]);
}
