import type { Command } from "commander";
import type { PermissionSet } from "../../../schemas/policies.ts";
import type { World } from "../../base/world.ts";
import { momentMs } from "../../base/time/asked-moment.ts";
import { entriesAt } from "../../answers/access/held-at.ts";
import { send, type SendFlags } from "../../answers/access/send.ts";
import { withSending } from "./send-flags.ts";
import { onPolicy, type Target } from "../../answers/access/target.ts";
import { checkWanted, flagOfSet } from "../../answers/access/wanted.ts";
import { readSettings } from "../../base/home/settings.ts";

type Flags = SendFlags & { readonly on: string; readonly timezone: string };

/** Registers `policy restore`. */
export function addRestore(verb: Command, world: World): void {
  withSending(
    verb
      .command("restore")
      .description("set a policy to what it held at a moment, by what log and snapshots tell")
      .argument("<policy>", "id or name of the policy, also a former name")
      .requiredOption(
        "--on <time>",
        "the moment: date, month or yesterday (its end), RFC 3339 time, 7d",
      )
      .option("--timezone <zone>", "where a date's day ends", "UTC"),
  )
    .addHelpText(
      "after",
      "\nRights on databases are restored, and other kinds stay as they are. What is not certain\nof that moment is refused: look at it with policy get --on.\n\nExamples:\n  auditlake policy restore Analysts --on 2026-03-01 --dry-run\n  auditlake policy restore 1234 --on 7d --reason 'undo of a mistake'",
    )
    .action((name: string, flags: Flags, command: Command) => {
      const onMs = momentMs(flags.on, flags.timezone, world.now());
      const work = async (target: Target): Promise<void> => {
        world.stderr.write(`on ${new Date(onMs).toISOString()}\n`);
        const entries = await entriesAt(target, onMs, flags.on);
        const plan = (before: PermissionSet): PermissionSet => {
          const wanted = { ...before, Databases: entries };
          checkWanted({ Databases: entries }, "the set of that moment", false, flagOfSet);
          return wanted;
        };
        await send(target, "restore", plan, flags, world);
      };
      return onPolicy(name, readSettings(command.optsWithGlobals(), world), world, work, onMs);
    });
}
