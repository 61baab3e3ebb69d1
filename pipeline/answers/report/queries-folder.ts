import { resolve } from "node:path";
import { exitCode } from "../../base/errors.ts";
import { findReports, type Found, type Report } from "./find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

/** The flag of the verbs that know the user's own reports. */
export type QueriesFlag = { readonly queries?: string };

/** The built-in reports and those of the folder from flag, environment or configuration. */
export function foundReports(settings: Settings, flags: QueriesFlag, world: World): Found {
  return findReports(queriesFolder(settings, flags, world));
}

/** The folder of the user's own reports; undefined where none is configured. */
export function queriesFolder(
  { config, configFolder }: Settings,
  flags: QueriesFlag,
  world: World,
): string | undefined {
  const configured =
    config.queries === undefined ? undefined : resolve(configFolder, config.queries);
  return flags.queries ?? world.env["AUDITLAKE_QUERIES"] ?? configured;
}

/** The reports that are sound; a file that is none is named on standard error, also under `--quiet`. */
export function reportsFor(
  settings: Settings,
  flags: QueriesFlag,
  world: World,
): readonly Report[] {
  return warnOfBroken(foundReports(settings, flags, world), world);
}

/** The same for verbs whose subject is all reports: a file that is left out makes it done in part. */
export function soundReports(
  settings: Settings,
  flags: QueriesFlag,
  world: World,
): readonly Report[] {
  const found = foundReports(settings, flags, world);
  if (found.broken.length > 0) process.exitCode = exitCode.partial;
  return warnOfBroken(found, world);
}

function warnOfBroken({ reports, broken }: Found, world: World): readonly Report[] {
  for (const line of broken) world.stderr.write(`warning: report left out: ${line}\n`);
  return reports;
}
