import type { Command } from "commander";
import { existsSync } from "node:fs";
import { AuditlakeError } from "../errors.ts";
import { ambiguityText } from "../load/ambiguous-reads.ts";
import type { Built } from "../rebuild/build.ts";
import type { Choices, RebuildPlan } from "../rebuild/plan-rebuild.ts";
import { findPresent, keptOf } from "../rebuild/present.ts";
import { remake } from "../rebuild/remake.ts";
import { replaceWarehouse } from "../rebuild/restore.ts";
import { publishWarehouse, withLock } from "../session/write.ts";
import { readSettings, type Settings } from "../home/settings.ts";
import type { World } from "../world.ts";
import { plural } from "../terminal/amounts.ts";
import { printer } from "../terminal/printer.ts";

const notes = `
Use it after a change of the catalog, or when the database is damaged. The new database is made beside the
present one and takes its place only when it holds the same; readers are not disturbed.

Pruned reads have no pages any more: what they held is taken from the present database or, where that is
damaged, from the published file. Landed reads that were not loaded yet are loaded, too.

Examples:
  auditlake rebuild
  auditlake rebuild --carry-over   # some landed pages are damaged, the database is whole`;

type Flags = { readonly carryOver?: true; readonly force?: true };

/** Registers `rebuild`. */
export function rebuild(program: Command, world: World): void {
  program
    .command("rebuild")
    .description("make the database anew from the landed pages, and compare digests")
    .option(
      "--carry-over",
      "take from the present database what landing should have and cannot give",
    )
    .option(
      "--force",
      "leave out what cannot be had, and take the rebuilt database even when its digest differs",
    )
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command, world);
      const { landing, warehouse, published } = settings.home;
      // A database without landing is enough: --carry-over takes over what it holds.
      if (![landing, warehouse, published].some((path) => existsSync(path)))
        throw new AuditlakeError(
          `nothing to rebuild from: ${landing} does not exist; run auditlake ingest or import first`,
        );
      const choices = { carryOver: flags.carryOver === true, force: flags.force === true };
      await withLock(settings, world, "rebuild", () => runRebuild(settings, choices, world));
    });
}

async function runRebuild(settings: Settings, choices: Choices, world: World): Promise<void> {
  const found = await findPresent(settings, world);
  const { path: anew, plan, built } = await remake(settings, found, choices, world);
  const print = printer(world);
  // A page that several reads have is named once.
  for (const what of new Set([...plan.leftOut, ...built.leftOut]))
    print(`warning: left out: ${what}`);
  // What a scheduled run read, the next one reads again.
  for (const manifest of built.ambiguous)
    if (!manifest.nightly) print(`warning: ${ambiguityText(manifest)}`);
  const before = found.present?.digest;
  if (before !== undefined && before !== built.digest && !choices.force)
    throw new AuditlakeError(
      `the rebuilt database has digest ${built.digest}, the present one ${before}; nothing was changed; --force takes the rebuilt one`,
    );
  const printing = { nowMs: world.now(), print };
  await replaceWarehouse(settings.home.warehouse, anew, keptOf(found, settings.home), printing);
  await publishWarehouse(settings, world);
  if (settings.flags.quiet !== true) print(summary(settings, built, plan, before));
}

function summary(
  { home }: Settings,
  { digest, carried }: Built,
  { pending }: RebuildPlan,
  before: string | undefined,
): string {
  const compared =
    before === undefined
      ? ""
      : before === digest
        ? ", equal to the one before"
        : `, before ${before}`;
  const taken = carried === 0 ? "" : `; ${plural(carried, "read")} taken from the database before`;
  const added =
    pending.length === 0 ? "" : `; ${plural(pending.length, "read")} loaded that it lacked`;
  return `rebuilt ${home.warehouse}, digest ${digest}${compared}${taken}${added}`;
}
