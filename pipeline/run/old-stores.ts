import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { syncFolder } from "../durable.ts";
import type { Home } from "../home.ts";
import type { Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { withLock } from "./writer.ts";

/** A database of an earlier version that an upgrade has kept. */
export type OldStore = { readonly path: string; readonly bytes: number };

/** The databases of earlier versions in a home, oldest first. */
export function oldStores({ root, warehouse }: Home): OldStore[] {
  const prefix = `${basename(warehouse)}.version-1-`;
  const names = readdirSync(root).filter((name) => name.startsWith(prefix));
  return names.sort().map((name) => {
    const path = join(root, name);
    return { path, bytes: statSync(path).size };
  });
}

/** Removes them, under the run lock. */
export async function removeOldStores(
  settings: Settings,
  stores: readonly OldStore[],
  world: World,
): Promise<void> {
  await withLock(settings, world, "prune", async () => {
    for (const { path } of stores) rmSync(path, { force: true });
    await syncFolder(settings.home.root);
  });
}
