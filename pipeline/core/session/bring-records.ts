import { notify, warning } from "../../base/notice/notice.ts";
import { existsSync } from "node:fs";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { withWriter } from "./write.ts";
import type { World } from "../../base/world.ts";

/**
 * Brings what the home has on record into the database. Where another run holds the database, nothing is done: that
 * run, or the next one that writes, brings the records.
 */
export async function bringRecords(
  settings: Settings,
  world: World,
  command: string,
): Promise<void> {
  if (!existsSync(settings.home.warehouse)) return;
  const quiet = { ...settings, flags: { ...settings.flags, quiet: true as const } };
  try {
    await withWriter(quiet, world, command, () => Promise.resolve(), "noted");
  } catch (error) {
    if (!(error instanceof AuditlakeError && error.exitCode === exitCode.locked))
      notify(world, warning("deliveries_unpublished", { why: getMessage(error) }));
  }
}
