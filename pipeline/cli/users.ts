import type { Command } from "commander";
import { readSettings } from "../base/home/settings.ts";
import type { OutputFlags } from "../answers/report/output.ts";
import { writeUsers } from "../answers/status/user-rows.ts";
import type { World } from "../base/world.ts";
import { accept } from "./users/accept.ts";
import { withOutput } from "./output-flags.ts";

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
