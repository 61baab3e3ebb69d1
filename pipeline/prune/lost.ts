import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../errors.ts";
import type { Settings } from "../home/settings.ts";
import { goingDays, type PruneScope } from "../store/prune.ts";
import type { World } from "../world.ts";

/**
 * Throws AuditlakeError where a lake is to keep what goes from the database, and does not have it, or cannot be asked. So
 * it does where the home puts its days into a lake that the configuration does not name.
 */
export async function refuseLost(
  settings: Settings,
  scope: PruneScope,
  { connection, quarantined }: { readonly connection: DuckDBConnection; quarantined: number },
  world: World,
): Promise<void> {
  if (settings.config.lake === undefined) return refuseUnnamed(settings.home);
  const days = await goingDays(connection, scope);
  if (days.size + quarantined === 0) return;
  const { refuseLacked } = await import("../lake/lacked.ts");
  await refuseLacked(settings, { days, quarantined }, world);
}

// Another folder may have another configuration, and a schedule may read none.
async function refuseUnnamed(home: Settings["home"]): Promise<void> {
  const { hasPutFiles, lakeFolder } = await import("../lake/home.ts");
  if (!hasPutFiles(home)) return;
  throw new AuditlakeError(
    `this home puts its days into a lake that the configuration does not name, so whether the lake has what would go is not known; nothing was removed; run it with the configuration that names the lake, or where that was given up remove ${lakeFolder(home)} first`,
  );
}
