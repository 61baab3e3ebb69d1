import type { Settings } from "../../base/home/settings.ts";
import { printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { DatabaseDamage, OldStoreError } from "../store/fault.ts";
import { loadLimits } from "../store/limits.ts";
import { openWriter, type Writer } from "../writer/open.ts";

// A checkpoint writes blocks of metadata in place (seen with DuckDB 1.5.6). A power cut or a kill within such a write
// leaves a file that does not open.

/** Opens the warehouse of the home for writing; rebuilds a damaged one and upgrades one of an earlier version. */
export async function openOwn(settings: Settings, world: World): Promise<Writer> {
  const { home } = settings;
  try {
    return await openWriter(settings, home.warehouse, world);
  } catch (error) {
    // What a rebuild needs takes a moment to load.
    if (error instanceof OldStoreError) {
      const { upgradeStore } = await import("../rebuild/rebuild-store.ts");
      await upgradeStore(settings, world);
      return openWriter(settings, home.warehouse, world);
    }
    if (!(error instanceof DatabaseDamage)) throw error;
    const { restoreWarehouse } = await import("../rebuild/restore.ts");
    const printing = { nowMs: world.now(), print: printer(world) };
    if (!(await restoreWarehouse(home, error, loadLimits(settings.config), printing))) throw error;
    return openWriter(settings, home.warehouse, world);
  }
}
