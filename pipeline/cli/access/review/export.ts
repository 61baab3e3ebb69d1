import type { Command } from "commander";
import { readSettings } from "../../../base/home/settings.ts";
import { handOut } from "../../../answers/access/review/hand-out.ts";
import { escapeControls } from "../../../base/printable.ts";
import { parseSeparator } from "../../../answers/report/formats.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { plainPrinter } from "../../../base/notice/printer.ts";
import type { World } from "../../../base/world.ts";

type ExportFlags = { readonly out: string; readonly separator?: string };

const notes = `
Each CSV has one row per user, right and way, with its last use and grantor. Fill in
decision (keep or revoke), reason, reviewer and date; do not change other columns. You can
sort the rows, and leave undecided rows empty or delete them.

Owners of policies are configured in reviews.owners.policies, owners of databases in
reviews.owners.databases (otherwise the creator, if in the directory). All other rights
are in the file of reviews.owners.account.

last_use is "never" if the log would show a use and covers all the time; otherwise it
gives the covered time (none since …), or is empty if the log cannot show a use.

Examples:
  auditlake access review export --out review-march
  auditlake access review export --out review-march --separator ';'`;

/** Registers `access review export`. */
export function addExport(verb: Command, world: World): void {
  verb
    .command("export")
    .description("write the current permissions for review, one CSV per owner")
    .requiredOption("--out <folder>", "folder for the files; must not contain CSV files")
    .option("--separator <character>", String.raw`separator of cells, such as ; or \t`)
    .addHelpText("after", notes)
    .action((flags: ExportFlags, command: Command) => run(flags, command, world));
}

async function run(flags: ExportFlags, command: Command, world: World): Promise<void> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const separator = flags.separator === undefined ? undefined : parseSeparator(flags.separator);
  const { review, sheets } = await handOut(flags.out, separator, settings, world);
  const { review_id, on, items } = review;
  const print = plainPrinter(world, settings.flags);
  for (const { owner, name, rows } of sheets)
    print(`${escapeControls(name)}: ${formatCount(rows, "row")}, for ${escapeControls(owner)}`);
  print(
    `review ${review_id} on ${on}: ${formatCount(items.length, "row")} in ${escapeControls(flags.out)}`,
  );
}
