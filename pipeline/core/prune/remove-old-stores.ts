import { rmSync } from "node:fs";
import { syncFolder } from "../../base/home/durable.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { OldStore } from "../../base/home/layout.ts";
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
