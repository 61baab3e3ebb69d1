import { type Line } from "../../base/notice/printer.ts";
import { warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { chmodSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyCompared } from "../../base/home/copy.ts";
import { putInPlace, syncFolder } from "../../base/home/durable.ts";
import { getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { listTombstones } from "../landing/tombstones.ts";
import type { Limits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import { describeCause, type DatabaseDamage } from "../store/fault.ts";
import { readWhole } from "../store/publish.ts";
import { type Printing, backUpWal } from "../store/wal.ts";
import { nameStamp } from "../../base/time/text.ts";

/**
 * Replaces a warehouse that does not open by a copy of the published file, or by nothing before the first publication.
 * The damaged file is moved aside. Later commits are loaded again from landing. Returns false if the published file is
 * damaged, or is missing and contained data that landing no longer has.
 */
export async function restoreWarehouse(
  home: Home,
  fault: DatabaseDamage,
  limits: Limits,
  printing: Printing,
): Promise<boolean> {
  const { warehouse, published, staging, landing } = home;
  const isFirst = !existsSync(published);
  if (isFirst && listTombstones(landing).length > 0) return false;
  const copy = join(staging, "restored.duckdb");
  const why = isFirst ? undefined : await checkCopy(published, copy, limits);
  if (why !== undefined) {
    printing.print(warning("published_damaged", { published, why }));
    return false;
  }
  printing.print(warning("database_unopened", { database: warehouse, why: fault.reason }));
  await replaceWarehouse(
    warehouse,
    isFirst ? undefined : copy,
    [{ path: warehouse, as: "damaged" }],
    printing,
  );
  printing.print(warning("database_replaced", { by: isFirst ? null : published }));
  return true;
}

// What keeps a copy of the published file from being used; undefined where it is whole.
async function checkCopy(
  published: string,
  copy: string,
  limits: Limits,
): Promise<string | undefined> {
  try {
    await copyCompared(published, copy);
    chmodSync(copy, 0o600);
    await using database = await openPublished(copy, limits);
    await readWhole(database.connection);
    return undefined;
  } catch (error) {
    return describeCause(getMessage(error));
  }
}

/** A database that is moved aside, and its kind. */
export type MovedFile = { readonly path: string; readonly as: "damaged" | "version-1" };

const words: Readonly<Record<MovedFile["as"], (kept: string) => Line>> = {
  damaged: (kept) => warning("damaged_retained", { path: kept }),
  "version-1": (kept) =>
    `the old database was retained as ${kept}; ${formatCommand("prune", "--old-store")} removes it`,
};

/** Moves a new database, if any, to the name of the warehouse; files to retain are renamed first. */
export async function replaceWarehouse(
  warehouse: string,
  rebuilt: string | undefined,
  keeping: readonly MovedFile[],
  printing: Printing,
): Promise<void> {
  const wal = `${warehouse}.wal`;
  // An intact database has been opened before, so its leftover log has no complete commit.
  if (existsSync(warehouse) && !keeping.some(({ as }) => as === "damaged"))
    rmSync(wal, { force: true });
  else if (existsSync(wal))
    backUpWal(warehouse, printing, "belongs to the database that is replaced");
  for (const { path, as } of keeping) {
    const kept = `${warehouse}.${as}-${nameStamp(printing.nowMs)}`;
    keepAs(path, kept);
    printing.print(words[as](kept));
  }
  if (rebuilt === undefined) rmSync(warehouse, { force: true });
  else {
    await syncFolder(dirname(warehouse));
    await putInPlace(rebuilt, warehouse);
  }
  await syncFolder(dirname(warehouse));
}

// The file has both names for a moment, so that a warehouse exists at any time.
function keepAs(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    // Some file systems have no hard links.
    renameSync(path, kept);
  }
}
