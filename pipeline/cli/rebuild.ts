import type { Command } from "commander";
import { rebuildStore, refuseNothing, type RebuildResult } from "../core/rebuild/rebuild-store.ts";
import { publishWarehouse, withLock } from "../core/session/write.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { formatCount } from "../base/terminal/amounts.ts";
import { printer } from "../base/notice/printer.ts";

const notes = `
Use it after a change of the catalog, or if the database is damaged. The new database is built beside the
current one and replaces it only if it has the same content; readers are not interrupted.

Pruned reads have no pages: their events come from the current database or, if that is damaged, from the
published file. Stored pages that were not loaded yet are loaded, too.

Examples:
  auditlake rebuild
  auditlake rebuild --carry-over   # some raw pages are damaged, the database is complete`;

type Flags = { readonly carryOver?: true; readonly force?: true };

/** Registers `rebuild`. */
export function rebuild(program: Command, world: World): void {
  program
    .command("rebuild")
    .description("rebuild the database from the stored raw pages, and compare digests")
    .option("--carry-over", "take events with missing or damaged pages from the current database")
    .option(
      "--force",
      "omit unavailable data, and use the rebuilt database even if its digest differs",
    )
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      refuseNothing(settings.home);
      const choices = { carryOver: flags.carryOver === true, force: flags.force === true };
      await withLock(settings, world, "rebuild", async () => {
        const rebuilt = await rebuildStore(settings, choices, world);
        // The rebuilt database is in place, even if publishing fails.
        if (settings.flags.quiet !== true) printer(world)(formatSummary(settings, rebuilt));
        await publishWarehouse(settings, world);
      });
    });
}

function formatSummary(
  { home }: Settings,
  { plan: { pending }, built, before }: RebuildResult,
): string {
  const { digest, carried } = built;
  const compared =
    before === undefined ? "" : before === digest ? ", same as before" : `, before ${before}`;
  const taken =
    carried === 0 ? "" : `; ${formatCount(carried, "read")} taken from the previous database`;
  const added =
    pending.length === 0
      ? ""
      : `; ${formatCount(pending.length, "read")} loaded that had been missing`;
  return `rebuilt ${home.warehouse}, digest ${digest}${compared}${taken}${added}`;
}
