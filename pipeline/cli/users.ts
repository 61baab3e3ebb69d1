import type { Command } from "commander";
import { UsageError } from "../base/errors.ts";
import { requireHome } from "../base/home/published.ts";
import { chooseSource, readSettings } from "../base/home/settings.ts";
import type { OutputFlags } from "../answers/report/output.ts";
import { writeUsers } from "../answers/status/user-rows.ts";
import type { World } from "../base/world.ts";
import { acceptUserList } from "../core/ingest/accept.ts";
import { withOutput } from "./output-flags.ts";

/** Registers `users`. */
export function users(program: Command, world: World): void {
  const verb = program
    .command("users")
    .description("list the users of the directory, with the last event of each");
  withOutput(verb)
    .addHelpText(
      "after",
      "\nThe format is a table, unless --out has the extension of another format.\n\nExamples:\n  auditlake users\n  auditlake users --format csv\n  auditlake users --out users.csv",
    )
    .action((flags: OutputFlags, command: Command) =>
      writeUsers(flags, readSettings(command.optsWithGlobals(), world), world),
    );
  accept(verb, world);
}

type Flags = { readonly reason?: string };

const longestReason = 1000;

/** Registers `users accept`: the operator accepts a user list that was held back. */
function accept(users: Command, world: World): void {
  users
    .command("accept")
    .description("accept a user list in which more than half of the users are missing")
    .option("--reason <text>", "the reason, stored with the list")
    .addHelpText(
      "after",
      "\nIf more than half of the known users are missing from a user list, all of them are retained until you accept the list, or a more complete list is read.\n\nExample:\n  auditlake users accept --reason 'the subsidiary moved to an account of its own'",
    )
    .action(async (_flags: Flags, command: Command) => {
      const { reason } = command.optsWithGlobals<Flags>();
      if (reason === undefined || reason.trim() === "" || reason.length > longestReason)
        throw new UsageError(
          `users accept needs --reason with 1 to ${longestReason} characters: why the users are missing`,
        );
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      await acceptUserList(chooseSource(settings, world), reason, settings, world);
    });
}
