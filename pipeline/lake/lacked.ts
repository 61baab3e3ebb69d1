import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import type { Settings } from "../home/settings.ts";
import { plural } from "../terminal/amounts.ts";
import type { World } from "../world.ts";
import type { Published } from "./publisher.ts";
import { publishToLake } from "./run.ts";
import { lakeTables } from "./tables.ts";

/** What is to go from the database: events of some days, and so many quarantined records. */
export type Going = { readonly days: ReadonlySet<string>; readonly quarantined: number };

/**
 * Throws AuditlakeError where the lake does not hold what the published file has of those days, or cannot be asked. It is
 * told as a dry run of a publish tells it.
 */
export async function refuseLacked(
  settings: Settings,
  { days, quarantined }: Going,
  world: World,
): Promise<void> {
  const asked = lakeTables.filter(
    ({ name, day }) => day !== undefined || (name === "quarantine" && quarantined > 0),
  );
  const { tables } = await dryRun(settings, world, asked);
  const lacked = tables.flatMap((table) => lackedText(table, days));
  if (lacked.length === 0) return;
  throw new AuditlakeError(
    `nothing was removed: the lake does not have all that would go: ${lacked.join(", ")}; run auditlake lake publish, then prune again`,
  );
}

async function dryRun(
  settings: Settings,
  world: World,
  tables: typeof lakeTables,
): ReturnType<typeof publishToLake> {
  try {
    return await publishToLake(settings, { dryRun: true }, world, tables);
  } catch (error) {
    if (!(error instanceof AuditlakeError) || error.exitCode === exitCode.interrupted) throw error;
    throw new AuditlakeError(
      `nothing was removed, since the lake does not tell what it has: ${messageOf(error)}`,
      error.exitCode,
    );
  }
}

function lackedText({ table, written }: Published, going: Going["days"]): string[] {
  const days = written.filter((day) => day === "" || going.has(day));
  if (days.length === 0) return [];
  const which = days[0] === "" ? "" : ` of ${plural(days.length, "day")} from ${days[0]} on`;
  return [`${table}${which}`];
}
