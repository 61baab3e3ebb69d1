import { type Command, Option } from "commander";
import { openStore } from "../../adapters/lake/open.ts";
import { lakeLock } from "../../adapters/lake/run.ts";
import { unneededFiles } from "../../adapters/lake/vacuum.ts";
import { refuseAborted } from "../../adapters/lake/publisher.ts";
import { streamSink } from "../../answers/report/result.ts";
import { readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { bytesText, plural } from "../../base/terminal/amounts.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import { durationOf } from "../flag-values.ts";

type Flags = { readonly olderThan: number; readonly dryRun?: true };

const notes = `
Removed are files that were replaced before that time, files that a run which was broken off had left before
that time, entries of a log from before the checkpoint that readers of that time begin with, and what says which
publications were before theirs. Who reads a publication that is older than that may miss files; the newest never
does. Files that nothing names stay a week at least: a home may be about to name them.

Examples:
  auditlake lake vacuum --dry-run
  auditlake lake vacuum --older-than 30d`;

const weekMs = 7 * 86_400_000;
const keptFor = durationOf(
  { leastMs: 3_600_000 },
  "1h or more, such as 30d: who reads the lake now may need what was replaced just before",
);

/** Registers `lake vacuum`. */
export function vacuum(lake: Command, world: World): void {
  lake
    .command("vacuum")
    .description("remove files that no reader of the lake needs any more")
    .addOption(
      new Option("--older-than <duration>", "keep what was needed since, such as 30d")
        .argParser(keptFor)
        .default(weekMs, "7d"),
    )
    .option("--dry-run", "print the files that would go and stop")
    .addHelpText("after", notes)
    .action(async ({ olderThan, dryRun }: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      await using store = await openStore(settings, world);
      // A publish of this home that takes longer than a week has files that nothing names yet.
      using _lock = await lakeLock(settings, "publish", "lake vacuum", world);
      const files = await unneededFiles(store, olderThan);
      if (dryRun)
        return await streamSink(world.stdout)(
          files.map(({ name, why }) => `${name}  ${why}\n`).join(""),
        );
      for (const [i, { name }] of files.entries()) {
        refuseAborted(
          world.signal,
          `removed ${i} of ${plural(files.length, "file")}; run it again`,
        );
        await store.remove(name);
      }
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      plainPrinter(
        world,
        settings.flags,
      )(`removed ${plural(files.length, "file")} (${bytesText(bytes)})`);
    });
}
