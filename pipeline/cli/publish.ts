import type { Command } from "commander";
import { withLock, runWithWriter } from "../core/session/write.ts";
import { requireHome } from "../base/home/published.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";

/** Registers `publish`. */
export function publish(program: Command, world: World): void {
  program
    .command("publish")
    .description("copy the warehouse to the file that readers open, and verify it")
    .addHelpText("after", "\nExamples:\n  auditlake publish")
    .action(async (_options: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      // Closing the writer publishes.
      await withLock(settings, world, "publish", () =>
        runWithWriter(settings, world, () => Promise.resolve(), "rewritten"),
      );
      if (settings.flags.quiet !== true)
        world.stderr.write(`published ${settings.home.published}\n`);
    });
}
