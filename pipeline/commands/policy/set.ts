import type { Command } from "commander";
import type { PermissionSet } from "../../../schemas/policies.ts";
import { AuditlakeError, UsageError } from "../../errors.ts";
import { compareSets, permissionsOf } from "../../page/permissions.ts";
import { streamSink } from "../../report/sink.ts";
import { changePolicy, currentSet } from "../../run/policy-change.ts";
import type { World } from "../../world.ts";
import { sayTo } from "../output.ts";
import { confirm } from "../confirm.ts";
import { applyEdits, parseEdit } from "./edits.ts";
import { changeLines, changeText } from "./lines.ts";
import { tellOutcome } from "./outcome.ts";
import { onPolicy, type Target } from "./target.ts";
import { checkWanted, readSetFile } from "./wanted.ts";

type Flags = {
  readonly file?: string;
  readonly grant?: readonly string[];
  readonly revoke?: readonly string[];
  readonly dryRun?: true;
  readonly yes?: true;
  readonly allowUndocumented?: true;
};

const notes = `
The set is read first, and what would be added (+) and taken away (-) is shown:
the service is sent the whole set, and what is left out of it is gone. On a
terminal you are asked; a script says --yes. Just before it is sent the set is
read once more: one that changed meanwhile is refused. It is sent once and never
again, then read back and compared. Where nothing would change, nothing is sent.

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
  verb
    .command("set")
    .description("set the permission set of a policy, from a file or by single grants")
    .argument("<policy>", "id or name of the policy, also a former name")
    .option("--file <file>", "the whole wanted set as JSON")
    .option("--grant <op:ids>", "add this to the present set; may be repeated", collect)
    .option(
      "--revoke <op:ids>",
      "take this from it, without ids all of it; may be repeated",
      collect,
    )
    .option("--dry-run", "show what would change and stop")
    .option("--yes", "do not ask")
    .option("--allow-undocumented", "send also what the reference does not show")
    .addHelpText("after", notes)
    .action((name: string, flags: Flags, command: Command) => {
      const plan = planOf(flags);
      return onPolicy(name, command, world, (target) => runSet(target, plan, flags, world));
    });
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** The wanted set, once the present one is known. */
type Plan = (before: PermissionSet) => PermissionSet;

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

async function runSet(target: Target, plan: Plan, flags: Flags, world: World): Promise<void> {
  const { client, id, source, settings } = target;
  const say = sayTo(world, settings.flags.quiet === true);
  const before = permissionsOf(await currentSet(client, id));
  const wanted = plan(before);
  const comparison = compareSets(before, wanted);
  if (comparison.added.length + comparison.removed.length === 0)
    return say(`policy ${id}: nothing to change, nothing was sent`);
  if (flags.dryRun) await streamSink(world.stdout, world.signal)(changeLines(comparison));
  // Whoever reads standard output may leave at any time, and what acts does not hang on that.
  else if (!flags.yes || settings.flags.quiet !== true) world.stderr.write(changeLines(comparison));
  say(`policy ${id} at ${source.name}: ${changeText(comparison)}`);
  if (flags.dryRun) return say("dry run: nothing was sent");
  if (!flags.yes) await ask(world);
  const outcome = await changePolicy(client, id, before, wanted);
  tellOutcome(id, outcome, { before, wanted }, say, world);
}

async function ask(world: World): Promise<void> {
  if (world.stdin.isTTY !== true)
    throw new UsageError("nothing was sent: nobody can be asked here; add --yes to set it");
  if (!(await confirm("Set these permissions?", world)))
    throw new AuditlakeError("not confirmed; nothing was sent");
}
