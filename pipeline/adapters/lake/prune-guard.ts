import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import type { World } from "../../base/world.ts";
import type { PruneGuard } from "../../core/prune/plan-prune.ts";
import { listGoingDays } from "../../core/store/prune.ts";
import { hasPutFiles, readIngester, getLakeFolder } from "./home.ts";
import type { AddFile } from "./log.ts";
import { openStore } from "./open.ts";
import { publishToLake } from "./run.ts";
import { groupOwnFiles, readSnapshot } from "./snapshot.ts";
import { lakeTables } from "./tables.ts";

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
  const days = await listGoingDays(connection, scope);
  if (days.size + quarantined === 0) return;
  await refuseLacked(settings, { days, quarantined }, world);
};

// Another folder may have another configuration, and a schedule may read none.
function refuseUnnamed(home: Settings["home"]): void {
  if (!hasPutFiles(home)) return;
  throw new AuditlakeError(
    `this home publishes to a lake that is missing from the configuration, so it is unknown whether the lake has the rows to remove; nothing was removed; use the configuration with the lake, or, if you no longer use the lake, remove ${getLakeFolder(home)} first`,
  );
}

/** What a prune removes: events of some days, and so many quarantined records. */
type GoingRows = { readonly days: ReadonlySet<string>; readonly quarantined: number };

// A dry run of a publish finds what the lake does not have of those days.
async function refuseLacked(
  settings: Settings,
  { days, quarantined }: GoingRows,
  world: World,
): Promise<void> {
  const asked = lakeTables.filter(
    ({ name, day }) => day !== undefined || (name === "quarantine" && quarantined > 0),
  );
  const { tables } = await planPublication(settings, world, asked);
  const missing = await listMissingDays(settings, world, { days, asked });
  const unpublished = tables.flatMap(({ table, written }) => {
    const going = [...written, ...(missing.get(table) ?? [])];
    return formatMissing(table, going, days);
  });
  if (unpublished.length === 0) return;
  throw new AuditlakeError(
    `nothing was removed: rows to remove are missing from the lake: ${unpublished.join(", ")}; run ${formatCommand("lake", "publish")}${missing.size > 0 ? " --full" : ""}, then prune again`,
  );
}

async function planPublication(
  settings: Settings,
  world: World,
  tables: typeof lakeTables,
): ReturnType<typeof publishToLake> {
  try {
    return await publishToLake(settings, { dryRun: true }, world, { tables });
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode === exitCode.interrupted) throw error;
    throw new AuditlakeError(
      `nothing was removed, because the contents of the lake are unknown: ${getMessage(error)}`,
      error.exitCode,
    );
  }
}

// Files named by the log can have been deleted.
async function listMissingDays(
  settings: Settings,
  world: World,
  { days, asked }: Pick<GoingRows, "days"> & { readonly asked: typeof lakeTables },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ingester = await readIngester(settings.home);
  await using store = await openStore(settings, world);
  const missing = new Map<string, readonly string[]>();
  for (const { name, day } of asked) {
    const own = groupOwnFiles(await readSnapshot(store, name), ingester, day?.column);
    const sizes = new Map((await store.list(`${name}/`)).map((file) => [file.name, file.bytes]));
    const isThere = ({ path, size }: AddFile): boolean =>
      sizes.get(`${name}/${decodeURIComponent(path)}`) === size;
    const going = [...own].filter(([each]) => each === "" || days.has(each));
    const lost = going.filter(([, files]) => !files.every(isThere)).map(([each]) => each);
    if (lost.length > 0) missing.set(name, lost);
  }
  return missing;
}

function formatMissing(
  table: string,
  unpublished: readonly string[],
  going: GoingRows["days"],
): string[] {
  const days = [...new Set(unpublished)].filter((day) => day === "" || going.has(day)).sort();
  if (days.length === 0) return [];
  const which = days[0] === "" ? "" : ` of ${formatCount(days.length, "day")} since ${days[0]}`;
  return [`${table}${which}`];
}
