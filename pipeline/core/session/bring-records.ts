import { notify, warning } from "../../base/notice/notice.ts";
import { existsSync } from "node:fs";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { withWriter } from "./write.ts";
import type { World } from "../../base/world.ts";

/**
 * Copies the run records of the home into the database. If another run holds the database, that run or the next writer
 * copies them.
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
