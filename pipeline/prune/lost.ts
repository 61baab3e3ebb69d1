import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../home/settings.ts";
import { goingDays, type PruneScope } from "../store/prune.ts";
import type { World } from "../world.ts";

/** Throws AuditlakeError where a lake is to keep what goes from the database, and does not have it, or cannot be asked. */
export async function refuseLost(
  settings: Settings,
  scope: PruneScope,
  { connection, quarantined }: { readonly connection: DuckDBConnection; quarantined: number },
  world: World,
): Promise<void> {
  if (settings.config.lake === undefined) return;
  const days = await goingDays(connection, scope);
  if (days.size + quarantined === 0) return;
  const { refuseLacked } = await import("../lake/lacked.ts");
  await refuseLacked(settings, { days, quarantined }, world);
}
