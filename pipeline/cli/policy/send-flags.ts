import type { Command } from "commander";

/** Adds the flags of the verbs that send a permission set: `--reason`, `--dry-run` and `--yes`. */
export function withSending(command: Command): Command {
  return command
    .option(
      "--reason <text>",
      "why; kept with the change, asked for on a terminal, demanded by policies.require_reason",
    )
    .option("--dry-run", "show what would change and stop")
    .option("--yes", "do not ask");
}
