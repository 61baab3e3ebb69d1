import type { Command } from "commander";
import { UsageError } from "../../base/errors.ts";
import { notifyFailed } from "../../work/schedule/failed.ts";
import { readOrKeptSettings } from "../../work/schedule/unstarted.ts";
import type { World } from "../../base/world.ts";

/** Registers `schedule failed`. */
export function addFailed(verb: Command, world: World): void {
  verb
    .command("failed")
    .description(
      "tell of a job whose unit failed, where its run could not; for OnFailure= of systemd",
    )
    .argument("<job>", "name of the job")
    .addHelpText(
      "after",
      `
What the run has told of already is not told again; what is waiting is sent.

Example:
  auditlake schedule failed nightly`,
    )
    .action(async (name: string, _flags: unknown, command: Command) => {
      const settings = readOrKeptSettings(command.optsWithGlobals(), world);
      if (settings === undefined)
        throw new UsageError(
          "neither the configuration nor what the home keeps of it can be read; mend the configuration",
        );
      await notifyFailed(name, settings, world);
    });
}
