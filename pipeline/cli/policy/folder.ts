import type { Command } from "commander";
import { exitCode } from "../../base/errors.ts";
import { readSettings } from "../../base/home/settings.ts";
import { planText, withFolder } from "../../answers/access/folder.ts";
import { changeText } from "../../answers/access/change-lines.ts";
import { sendAll, type SendFlags } from "../../answers/access/send.ts";
import { withSending } from "./set.ts";
import { newStreamSink } from "../../answers/report/result.ts";
import type { World } from "../../base/world.ts";

const notes = `
The folder has one file per policy, <id>.json or <name>.json, with its complete set. Other
policies are not changed. Grants are sent before revocations, so no user temporarily loses
a right that moves between policies; if two policies wait for each other, one is sent
twice, first with its grants. plan separates changes of the files from changes that undo
drift: changes made elsewhere since auditlake set the policy, or unknown to log and snapshots.

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
    .description("show the changes that a folder of permission sets would make")
    .argument("<folder>", "one file per policy")
    .option("--strict", `end with exit code ${exitCode.findings} if anything would change`)
    .addHelpText("after", notes)
    .action((folder: string, flags: PlanFlags, command: Command) =>
      withFolder(
        folder,
        readSettings(command.optsWithGlobals(), world),
        world,
        async ({ steps }, print) => {
          const sink = newStreamSink(world.stdout, world.signal);
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
      .description("apply a folder of permission sets")
      .argument("<folder>", "one file per policy"),
  )
    .addHelpText("after", notes)
    .action((folder: string, flags: SendFlags, command: Command) =>
      withFolder(folder, readSettings(command.optsWithGlobals(), world), world, ({ sendings }) =>
        sendAll(sendings, "apply", flags, world),
      ),
    );
}
