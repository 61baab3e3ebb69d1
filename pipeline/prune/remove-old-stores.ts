import { rmSync } from "node:fs";
import { syncFolder } from "../home/durable.ts";
import type { Settings } from "../home/settings.ts";
import type { World } from "../world.ts";
import type { OldStore } from "../home/old-stores.ts";
import { withLock } from "../session/write.ts";

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
