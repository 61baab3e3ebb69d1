import type { Command } from "commander";
import { chooseSource, readSettings, type Settings } from "../base/home/settings.ts";
import {
  type OutputFlags,
  rowFormatOf,
  rowLimitOf,
  rowsText,
  writeRows,
} from "../answers/report/output.ts";
import type { World } from "../base/world.ts";
import { withOutput } from "./output-flags.ts";
import { readAsset } from "../base/home/assets.ts";
import { limited } from "../base/rows/row.ts";
import { runStatement } from "../base/sql/select.ts";
import { readLimits } from "../core/store/limits.ts";
import { openPublished } from "../core/store/open.ts";
import { notify } from "../base/notice/notice.ts";
import { plainPrinter } from "../base/terminal/printer.ts";
import { directoryWarnings } from "../core/completeness/directory.ts";
import { UsageError } from "../base/errors.ts";
import { requireHome } from "../base/home/published.ts";
import { acceptUserList } from "../core/ingest/accept.ts";

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
    .action((flags: OutputFlags, command: Command) =>
      writeUsers(flags, readSettings(command.optsWithGlobals(), world), world),
    );
  accept(verb, world);
}

/** Writes the user directory of the published data, each user with the last event, and warns of what is old in it. */
async function writeUsers(
  flags: OutputFlags,
  { home, config, flags: asked }: Settings,
  world: World,
): Promise<void> {
  const format = rowFormatOf(flags);
  await using database = await openPublished(home.published, readLimits(config), asked.source);
  const statement = { sql: readAsset("queries/status/users.sql"), values: {} };
  const all = await runStatement(database.connection, statement, world.signal);
  const { result, total } = limited(all, rowLimitOf(flags, format, world));
  const print = plainPrinter(world, asked);
  const shown = await writeRows(result, format, flags, world, print);
  print(rowsText({ shown, total: total() }, flags.limit, flags.out));
  for (const { notice } of await directoryWarnings(database.connection, asked.source))
    notify(world, notice);
}

type Flags = { readonly reason?: string };

const longestReason = 1000;

/** Registers `users accept`: a person confirms a user list that was held back. */
function accept(users: Command, world: World): void {
  users
    .command("accept")
    .description(
      "end the users whom the last user list does not have, where that is more than half of them",
    )
    .option("--reason <text>", "why, kept with the list")
    .addHelpText(
      "after",
      "\nA user list without more than half of the known users ends none of them until it is accepted here, or a fuller one is read.\n\nExample:\n  auditlake users accept --reason 'the subsidiary moved to an account of its own'",
    )
    .action(async (_flags: Flags, command: Command) => {
      const { reason } = command.optsWithGlobals<Flags>();
      if (reason === undefined || reason.trim() === "" || reason.length > longestReason)
        throw new UsageError(
          `users accept needs --reason with 1 to ${longestReason} characters: why the users have left`,
        );
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      await acceptUserList(chooseSource(settings, world), reason, settings, world);
    });
}
