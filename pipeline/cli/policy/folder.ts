import type { Command } from "commander";
import { exitCode } from "../../base/errors.ts";
import { readSettings } from "../../base/home/settings.ts";
import { planText, withFolder } from "../../answers/access/folder.ts";
import { changeText } from "../../answers/access/change-lines.ts";
import { sendAll, type SendFlags } from "../../answers/access/send.ts";
import { withSending } from "./set.ts";
import { streamSink } from "../../answers/report/result.ts";
import type { World } from "../../base/world.ts";

const notes = `
The folder holds one file per policy, <id>.json or <name>.json, with its whole set.
Other policies are left alone. What gives somebody a right is sent before what takes it
from them, so that nobody is without a right that moves from one policy to another;
where each of two waits for the other, one is sent twice, first with what it gives.
plan tells apart what the files change, and what undoes changes that were made
elsewhere since a policy was set from here, or that log and snapshots do not show.

Examples:
  auditlake policy plan policies --strict
  auditlake policy apply policies --reason 'review of March'`;

type PlanFlags = { readonly strict?: true };

/** Registers `policy plan` and `policy apply`. */
export function addFolder(verb: Command, world: World): void {
  addPlan(verb, world);
  addApply(verb, world);
}

function addPlan(verb: Command, world: World): void {
  verb
    .command("plan")
    .description("what applying a folder of permission sets would change")
    .argument("<folder>", "one file per policy")
    .option("--strict", `end with exit code ${exitCode.findings} where something would change`)
    .addHelpText("after", notes)
    .action((folder: string, flags: PlanFlags, command: Command) =>
      withFolder(
        folder,
        readSettings(command.optsWithGlobals(), world),
        world,
        async ({ steps }, print) => {
          const sink = streamSink(world.stdout, world.signal);
          for (const { target, comparison } of steps)
            await sink(await planText(target, comparison, world));
          for (const { target, comparison } of steps)
            print(`policy ${target.id}: ${changeText(comparison)}`);
          return steps.length > 0 && flags.strict ? exitCode.findings : exitCode.done;
        },
      ),
    );
}

function addApply(verb: Command, world: World): void {
  withSending(
    verb
      .command("apply")
      .description("set the policies that a folder of permission sets names")
      .argument("<folder>", "one file per policy"),
  )
    .addHelpText("after", notes)
    .action((folder: string, flags: SendFlags, command: Command) =>
      withFolder(folder, readSettings(command.optsWithGlobals(), world), world, ({ sendings }) =>
        sendAll(sendings, "apply", flags, world),
      ),
    );
}
