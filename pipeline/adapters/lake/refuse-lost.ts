import { AuditlakeError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { PruneGuard } from "../../core/prune/request.ts";
import { goingDays } from "../../core/store/prune.ts";

/**
 * Throws AuditlakeError if the lake is missing events that the prune would delete, or cannot be read. It also refuses
 * where the home writes to a lake that the configuration does not name.
 */
export const refuseLost: PruneGuard = async (
  settings,
  scope,
  { connection, quarantined },
  world,
) => {
  if (settings.config.lake === undefined) return refuseUnnamed(settings.home);
  const days = await goingDays(connection, scope);
  if (days.size + quarantined === 0) return;
  const { refuseLacked } = await import("./lacked.ts");
  await refuseLacked(settings, { days, quarantined }, world);
};

// Another folder may have another configuration, and a schedule may read none.
async function refuseUnnamed(home: Settings["home"]): Promise<void> {
  const { hasPutFiles, lakeFolder } = await import("./home.ts");
  if (!hasPutFiles(home)) return;
  throw new AuditlakeError(
    `this home puts its days into a lake that the configuration does not name, so whether the lake has what would go is not known; nothing was removed; run it with the configuration that names the lake, or where that was given up remove ${lakeFolder(home)} first`,
  );
}
