import { statfsSync, statSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { rebuildStore } from "./rebuild-store.ts";
import { printer } from "../../base/terminal/printer.ts";

// The new database, its copy for readers, and what the database spills while both are made.
const roomFactor = 3;

/**
 * Makes a database of today from one of version 1, under the run lock. It takes the landed pages and, for pruned ones,
 * the old file, which is set aside. Whatever breaks off before the end has changed nothing. Throws AuditlakeError where
 * there is not enough room.
 */
export async function upgradeStore(
  settings: Settings,
  world: World,
  freeBytes: (folder: string) => number = freeIn,
): Promise<void> {
  const { home } = settings;
  const print = printer(world);
  const bytes = statSync(home.warehouse).size;
  refuseLittleRoom(home, bytes, freeBytes(home.root));
  print(
    `${home.warehouse} was made by an earlier auditlake; it is made anew, which may take minutes`,
  );
  const { plan, built } = await rebuildStore(settings, { carryOver: true, force: false }, world);
  const landed = [...plan.known, ...plan.pending].filter(({ kind }) => kind === "load").length;
  print(
    `made ${home.warehouse} anew; reads from landing: ${landed}, from the old database: ${built.carried}`,
  );
}

function refuseLittleRoom({ root, warehouse }: Home, bytes: number, free: number): void {
  const needed = bytes * roomFactor;
  if (free >= needed) return;
  throw new AuditlakeError(
    `${warehouse} was made by an earlier auditlake and has to be made anew, which needs about ${inMegabytes(needed)} in ${root}, where ${inMegabytes(free)} are free; nothing was changed; make room and run it again`,
  );
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
