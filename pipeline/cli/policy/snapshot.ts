import type { Command } from "commander";
import { clientOf } from "../../core/source/client.ts";
import { withWriter } from "../../core/session/write.ts";
import { chooseSource, readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { takeSnapshot } from "../../answers/access/take.ts";
import { checkId } from "../../answers/access/target.ts";

const notes = `
Without ids, the policies that sources.<name>.policies lists, or else all that
the log names. The view policy_permissions has what each policy holds and held:
a permission that is not there any more ends, and a policy that the service does
not know any more ends with all it had. What began (+) and ended (-) since the
last snapshot of a policy is printed. A policy that the key may not read leaves
the others alone.

Examples:
  auditlake policy snapshot
  auditlake policy snapshot 1234 1235`;

/** Registers `policy snapshot`. */
export function addSnapshot(verb: Command, world: World): void {
  verb
    .command("snapshot")
    .description("read the permission sets of policies and keep their history")
    .argument("[ids...]", "ids of the policies")
    .addHelpText("after", notes)
    .action(async (ids: readonly string[], _flags: object, command: Command) => {
      for (const id of ids) checkId(id);
      const settings = readSettings(command.optsWithGlobals(), world);
      const source = chooseSource(settings, world);
      await using client = clientOf(settings, source, world);
      return await withWriter(settings, world, "policy snapshot", ({ database: { connection } }) =>
        takeSnapshot({ settings, source, client, connection, world }, ids),
      );
    });
}
