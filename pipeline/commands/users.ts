import type { Command } from "commander";
import { readAsset } from "../home/assets.ts";
import { limited } from "../report/limit.ts";
import { runStatement } from "../report/run-statement.ts";
import { readSettings } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../world.ts";
import { directoryWarnings } from "../status/directory.ts";
import {
  type OutputFlags,
  rowFormatOf,
  rowLimitOf,
  rowsText,
  withOutput,
  writeRows,
} from "../report/output.ts";
import { plainPrinter, printer } from "../terminal/printer.ts";

/** Registers `users`. */
export function users(program: Command, world: World): void {
  const verb = program
    .command("users")
    .description("the user directory as last read, with each user's last event");
  withOutput(verb)
    .addHelpText(
      "after",
      "\nThe format is a table, unless --out ends in the extension of another one.\n\nExamples:\n  auditlake users\n  auditlake users --format csv\n  auditlake users --out users.csv",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command, world);
      const format = rowFormatOf(flags);
      await using database = await openPublished(
        settings.home.published,
        readLimits(settings.config),
      );
      const statement = { sql: readAsset("queries/status/users.sql"), values: {} };
      const all = await runStatement(database.connection, statement, world.signal);
      const { result, total } = limited(all, rowLimitOf(flags, format, world));
      const print = plainPrinter(world, settings.flags);
      const shown = await writeRows(result, format, flags, world, print);
      print(rowsText({ shown, total: total() }, flags.limit, flags.out));
      for (const { line } of await directoryWarnings(database.connection, undefined))
        printer(world)(`warning: ${line}`);
    });
}
