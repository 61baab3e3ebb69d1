import { resolve } from "node:path";
import type { Command } from "commander";
import { findReports, type Report } from "../report/find.ts";
import type { Settings } from "../settings.ts";
import type { World } from "../world.ts";

/** The flag of the verbs that know the user's own reports. */
export type QueriesFlag = { readonly queries?: string };

/** Adds `--queries`. */
export function withQueries(command: Command): Command {
  return command.option("--queries <dir>", "a folder of further reports");
}

/** The built-in reports and those of the folder from flag, environment or configuration. */
export function reportsFor(settings: Settings, flags: QueriesFlag, world: World): Report[] {
  const { queries } = settings.config;
  const configured = queries === undefined ? undefined : resolve(settings.configFolder, queries);
  return findReports(flags.queries ?? world.env["AUDITLAKE_QUERIES"] ?? configured);
}
