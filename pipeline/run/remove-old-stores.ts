import { rmSync } from "node:fs";
import { syncFolder } from "../durable.ts";
import type { Settings } from "../settings.ts";
import type { World } from "../world.ts";
import type { OldStore } from "./old-stores.ts";
import { withLock } from "./writer.ts";

/** Removes databases of earlier versions, under the run lock. */
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
