import type { Command } from "commander";
import { readSettings } from "../../../base/home/settings.ts";
import { handOut } from "../../../answers/access/review/hand-out.ts";
import { printable } from "../../../base/printable.ts";
import { separatorOf } from "../../../answers/report/formats.ts";
import { plural } from "../../../base/terminal/amounts.ts";
import { plainPrinter } from "../../../base/terminal/printer.ts";
import type { World } from "../../../base/world.ts";

type ExportFlags = { readonly out: string; readonly separator?: string };

const notes = `
One CSV per owner, for any spreadsheet: a row for each person, right and way by which
it comes, with the last use that the log shows, and who gave it. Fill in decision
(keep or revoke, in each row that you decide on), reason, reviewer and date; leave
the other columns as they are. Rows may be sorted, and what is not decided may go.

Owner of what a policy gives is whom reviews.owners.policies names for it; of a right
on a database whom reviews.owners.databases names, else who made the database, as far
as the directory lists them. Everything else is in the file of reviews.owners.account.

last_use is never where the log would show one and all of the time was read, else it
tells since and up to when it was (none since …); it is empty where the log cannot tell.

Examples:
  auditlake access review export --out review-march
  auditlake access review export --out review-march --separator ';'`;

/** Registers `access review export`. */
export function addExport(verb: Command, world: World): void {
  verb
    .command("export")
    .description("who may do what today, one CSV per owner, to be decided on row by row")
    .requiredOption("--out <folder>", "folder for the files; it holds no CSV yet")
    .option("--separator <character>", String.raw`what stands between cells, such as ; or \t`)
    .addHelpText("after", notes)
    .action((flags: ExportFlags, command: Command) => run(flags, command, world));
}

async function run(flags: ExportFlags, command: Command, world: World): Promise<void> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const separator = flags.separator === undefined ? undefined : separatorOf(flags.separator);
  const { review, sheets } = await handOut(flags.out, separator, settings, world);
  const { review_id, on, items } = review;
  const print = plainPrinter(world, settings.flags);
  for (const { owner, name, rows } of sheets)
    print(`${printable(name)}: ${plural(rows, "row")}, for ${printable(owner)}`);
  print(`review ${review_id} on ${on}: ${plural(items.length, "row")} in ${printable(flags.out)}`);
}
