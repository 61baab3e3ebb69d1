import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "../../../errors.ts";
import { printable } from "../../../printable.ts";
import { renderRows } from "../../../report/formats.ts";
import { separatorOf } from "../../../report/separator.ts";
import { textResult } from "../../../report/result.ts";
import { createFolder, replaceFile } from "../../../report/write.ts";
import { rightText, wayText, type Item } from "../../../policies/review/item.ts";
import { keepReview } from "../../../policies/review/kept-decisions.ts";
import { fileNamesOf } from "../../../policies/review/owner.ts";
import { itemsAt, policiesAt } from "../../../policies/review/rights.ts";
import { newRunId } from "../../../store/ledger/totals.ts";
import { chooseSource, readSettings } from "../../../home/settings.ts";
import { readLimits } from "../../../store/limits.ts";
import { openPublished } from "../../../store/open.ts";
import type { World } from "../../../world.ts";
import { plural } from "../../../terminal/amounts.ts";
import { plainPrinter } from "../../../terminal/printer.ts";
import { toTimestamp } from "../../../moments/text.ts";

type Flags = { readonly out: string; readonly separator?: string };

const notes = `
One CSV per owner, for any spreadsheet: a row for each person, right and way by which
it comes, with the last use that the log shows, and who gave it. Fill in decision
(keep or revoke, in each row that you decide on), reason, reviewer and date; leave
the other columns as they are. Rows may be sorted, and what is not decided may go.

Owner of what a policy gives is whom reviews.owners.policies names for it; of a right
on a database whom reviews.owners.databases names, else who made the database, as far
as the directory lists them. Everything else is in the file of reviews.owners.account.

last_use is never where the log would show one, and empty where it cannot tell.

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
    .action((flags: Flags, command: Command) => run(flags, command, world));
}

async function run(flags: Flags, command: Command, world: World): Promise<void> {
  const settings = readSettings(command, world);
  const { name: source } = chooseSource(settings, world);
  const separator = flags.separator === undefined ? undefined : separatorOf(flags.separator);
  const folder = resolve(flags.out);
  // Somebody may have decided in them already.
  if (existsSync(folder) && readdirSync(folder).some((name) => /\.csv$/i.test(name)))
    throw new UsageError(`${flags.out} holds CSV files already; name a new folder`);
  const nowMs = world.now();
  const on = new Date(nowMs).toISOString();
  const moment = { source, on: toTimestamp(nowMs) };
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const { connection } = database;
  const items = await itemsAt(connection, moment, settings.config.reviews.owners);
  if (items.length === 0)
    throw new UsageError(`nobody of source ${source} holds any right that is known; ingest first`);
  const policies = await policiesAt(connection, moment);
  const review_id = newRunId(world.now(), world.random);
  const byOwner = Map.groupBy(items, ({ owner }) => owner);
  const names = fileNamesOf([...byOwner.keys()]);
  await createFolder(folder);
  for (const [owner, own] of byOwner)
    await writeFile(join(folder, names.get(owner)!), own, review_id, separator);
  await keepReview(settings.home, { version: 1, review_id, source, on, items, policies });
  const print = plainPrinter(world, settings.flags.quiet === true);
  for (const [owner, own] of byOwner)
    print(`${printable(names.get(owner)!)}: ${plural(own.length, "row")}, for ${printable(owner)}`);
  print(`review ${review_id} on ${on}: ${plural(items.length, "row")} in ${printable(flags.out)}`);
}

const columns: readonly (readonly [string, (item: Item) => string | null])[] = [
  ["person", ({ person }) => person],
  ["right", rightText],
  ["way", wayText],
  ["since", ({ since }) => since],
  ["last_use", ({ lastUse }) => lastUse],
  ["given_by", ({ givenBy }) => givenBy],
  ["evidence", ({ evidence }) => evidence],
  ["decision", () => null],
  ["reason", () => null],
  ["reviewer", () => null],
  ["date", () => null],
  ["row", ({ row }) => row],
];

async function writeFile(
  path: string,
  items: readonly Item[],
  reviewId: string,
  separator: string | undefined,
): Promise<void> {
  const rows = textResult(
    [...columns.map(([name]) => name), "review"],
    items.map((item) => [...columns.map(([, of]) => of(item)), reviewId]),
  );
  await replaceFile(path, ({ sink }) => renderRows("csv", rows, sink, { separator }));
}
