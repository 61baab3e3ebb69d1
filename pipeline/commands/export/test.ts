import { type Command, Option } from "commander";
import { printable } from "../../printable.ts";
import { settledTarget, tryTo } from "../../run/delivery.ts";
import { settle } from "../../settings.ts";
import { UsageError } from "../../errors.ts";
import type { World } from "../../world.ts";
import { resultTarget } from "./result.ts";

type Flags = { readonly result?: string; readonly sendNothing?: true };

/** Registers `export test`. */
export function addTest(verb: Command, world: World): void {
  verb
    .command("test")
    .description("sign in to a target and check that what it needs is there")
    .argument("[target]", "a target of the configuration")
    .addOption(new Option("--result <json>", "the target itself, as for export"))
    .option("--send-nothing", "of a webhook: only see whether somebody answers")
    .addHelpText(
      "after",
      `
Nothing is made, and nothing is sent, but to a webhook one row that says it is a test.
It ends with 0 where a delivery would find all that it needs, and says "yes".

Examples:
  auditlake export test lake
  auditlake export test hook --send-nothing`,
    )
    .action(async (name: string | undefined, own: Flags, command: Command) => {
      // What both verbs take, the one above has.
      const flags = { ...own, ...command.optsWithGlobals<Flags>() };
      const found = settle(command, world);
      if ((name === undefined) === (flags.result === undefined))
        throw new UsageError(
          `which target? expected its name, or --result; known: ${Object.keys(found.config.targets).join(", ") || "none; add one under targets"}`,
        );
      const given =
        flags.result === undefined
          ? { settings: found, name: name! }
          : resultTarget(flags.result, found);
      const target = settledTarget(given.settings, given.name);
      const lines = await tryTo(target, flags.sendNothing !== true, given.settings, world);
      for (const line of lines) world.stdout.write(`${given.name}: ${printable(line)}\n`);
      world.stdout.write(`${given.name}: yes, a delivery would find what it needs\n`);
    });
}
