import type { Command } from "commander";
import { chooseSource, readSettings } from "../../base/home/settings.ts";
import { listSentChanges } from "../../answers/access/sent-changes.ts";
import { type OutputFlags, chooseRowFormat, writeRows } from "../../answers/report/output.ts";
import { newTextResult } from "../../answers/report/result.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { withOutput } from "../output-flags.ts";
import { type At, findId } from "../../answers/access/find-ids.ts";
import type { IdsOf, MomentFlags } from "../../answers/ask/at-moment.ts";
import { askPublished, withMoment } from "../published.ts";
import { openClient } from "../../core/source/client.ts";
import { withWriter } from "../../core/session/write.ts";
import { takeSnapshot } from "../../answers/access/take.ts";
import { checkId } from "../../answers/access/target.ts";

/** Registers `policy changes`. */
export function addChanges(verb: Command, world: World): void {
  withOutput(
    verb
      .command("changes")
      .description("list the sets sent by auditlake: user, reason, outcome, confirming event"),
  )
    .addHelpText(
      "after",
      "\nconfirmed_by is the event that proves the sent set; it is empty until the log of that time\nis ingested.\n\nExamples:\n  auditlake policy changes\n  auditlake policy changes --format csv",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const format = chooseRowFormat(flags);
      const { columns, rows } = await listSentChanges(settings);
      const print = plainPrinter(world, settings.flags);
      await writeRows(newTextResult(columns, rows), format, flags, world, print);
      print(formatCount(rows.length, "change"));
    });
}

export function addList(verb: Command, world: World): void {
  withMoment(
    verb.command("list").description("list the policies at a moment, from log and snapshots"),
  )
    .addHelpText(
      "after",
      "\nuncertain counts permissions with contradicting log and snapshot, or left open by changes\nwithin one second. A date means the end of that day in --timezone.\n\nExamples:\n  auditlake policy list\n  auditlake policy list --on 2026-03-01 --format csv",
    )
    .action(async (flags: MomentFlags, command: Command) => {
      await askPublished("policies", () => Promise.resolve({}), flags, command, world);
    });
}

/** Registers `policy history`. */
export function addHistory(verb: Command, world: World): void {
  withOutput(
    verb
      .command("history")
      .description("show the history of a policy: changes of its set and members, and snapshots")
      .argument("<policy>", "id, name or previous name of the policy"),
  )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake policy history 1234\n  auditlake policy history Analysts --format csv",
    )
    .action(async (name: string, flags: Omit<MomentFlags, "timezone">, command: Command) => {
      const print = plainPrinter(world, command.optsWithGlobals());
      const ids = newPolicyFinder(name, { print });
      await askPublished("history", ids, { ...flags, timezone: "UTC" }, command, world);
    });
}

/** What finds the id of a policy that is named by id or name, and prints which it is. */
export function newPolicyFinder(name: string, at: At): IdsOf {
  return async (connection, source) => ({
    policy_id: await findId(connection, "policy", name, source, at),
  });
}

const notes = `
Without ids, reads the policies in sources.<name>.policies, or else all policies in the
log. The view policy_permissions shows the current and previous permissions: a permission
that is no longer there ends, and a policy that the service no longer knows ends with all
its permissions. The command prints additions (+) and removals (-) since the last
snapshot. A policy that the key may not read does not stop the others.

Examples:
  auditlake policy snapshot
  auditlake policy snapshot 1234 1235`;

/** Registers `policy snapshot`. */
export function addSnapshot(verb: Command, world: World): void {
  verb
    .command("snapshot")
    .description("read the permission sets of policies and store their history")
    .argument("[ids...]", "ids of the policies")
    .addHelpText("after", notes)
    .action(async (ids: readonly string[], _flags: object, command: Command) => {
      for (const id of ids) checkId(id);
      const settings = readSettings(command.optsWithGlobals(), world);
      const source = chooseSource(settings, world);
      await using client = openClient(settings, source, world);
      return await withWriter(
        settings,
        world,
        "policy snapshot",
        ({ database: { connection } }) =>
          takeSnapshot({ settings, source, client, connection, world }, ids),
        "noted",
      );
    });
}
