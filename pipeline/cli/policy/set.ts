import type { Command } from "commander";
import { UsageError } from "../../base/errors.ts";
import { compareSets } from "../../core/records/permissions.ts";
import type { World } from "../../base/world.ts";
import { applyEdits, checkWanted, parseEdit, readSetFile } from "../../answers/access/wanted.ts";
import { type Plan, send, type SendFlags } from "../../answers/access/send.ts";
import { withSending } from "./send-flags.ts";
import { onPolicy } from "../../answers/access/target.ts";
import { collect } from "../flag-values.ts";
import { readSettings } from "../../base/home/settings.ts";

type Flags = SendFlags & {
  readonly file?: string;
  readonly grant?: readonly string[];
  readonly revoke?: readonly string[];
  readonly allowUndocumented?: true;
};

const notes = `
The set is read first, and what would be added (+) and taken away (-) is shown:
the service is sent the whole set, and what is left out of it is gone. On a
terminal you are asked; a script says --yes. Just before it is sent the set is
read once more: one that changed meanwhile is refused. It is sent once and never
again, then read back and compared. Where nothing would change, nothing is sent.
How many people it touches is told, manage that is given, and what the user of the
key (sources.<name>.api_user) would lose. policy changes lists what was sent, and why.

import, query and edit carry database ids; manage, download and owner_manage
carry none; each has one entry at most. Anything else, such as kinds of resources
beside Databases, needs --allow-undocumented, since what the service makes of it
is not known. Single values beside the arrays, such as updated_at, are left out,
and a key that is there twice is refused. A service that keeps what the set does not name ends with exit
code 6.

Examples:
  auditlake policy set 1234 --grant query:101,102 --revoke edit --dry-run
  auditlake policy set 1234 --grant manage
  auditlake policy set 1234 --file policy-1234.json --yes`;

/** Registers `policy set`. */
export function addSet(verb: Command, world: World): void {
  withSending(
    verb
      .command("set")
      .description("set the permission set of a policy, from a file or by single grants"),
  )
    .argument("<policy>", "id or name of the policy, also a former name")
    .option("--file <file>", "the whole wanted set as JSON")
    .option("--grant <op:ids>", "add this to the present set; may be repeated", collect)
    .option(
      "--revoke <op:ids>",
      "take this from it, without ids all of it; may be repeated",
      collect,
    )
    .option("--allow-undocumented", "send also what the reference does not show")
    .addHelpText("after", notes)
    .action((name: string, flags: Flags, command: Command) => {
      const plan = planOf(flags);
      return onPolicy(name, readSettings(command.optsWithGlobals(), world), world, (target) =>
        send(target, "set", plan, flags, world),
      );
    });
}

// What can be wrong without the service is found before it is asked.
function planOf({ file, grant = [], revoke = [], allowUndocumented }: Flags): Plan {
  const isLoose = allowUndocumented === true;
  const edits = {
    grant: grant.map((text) => parseEdit(text, "--grant")),
    revoke: revoke.map((text) => parseEdit(text, "--revoke")),
  };
  const hasEdits = grant.length + revoke.length > 0;
  if ((file !== undefined) === hasEdits)
    throw new UsageError(
      "say what to set: either --file with the whole set, or --grant and --revoke",
    );
  if (file !== undefined) {
    const wanted = readSetFile(file, isLoose);
    return () => wanted;
  }
  for (const edit of edits.grant) {
    const alone = { operation: edit.operation, ...(edit.ids && { ids: edit.ids.join(",") }) };
    checkWanted({ Databases: [alone] }, `--grant ${edit.operation}`, isLoose);
  }
  return (before) => {
    const wanted = applyEdits(before, edits);
    if (compareSets(before, wanted).added.length + compareSets(before, wanted).removed.length > 0)
      checkWanted(wanted, "the set that this makes", isLoose);
    return wanted;
  };
}
