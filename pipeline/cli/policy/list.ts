import type { Command } from "commander";
import type { World } from "../../base/world.ts";
import { type At, idOf } from "../../answers/access/named.ts";
import type { IdsOf, MomentFlags } from "../../answers/ask/at-moment.ts";
import { askPublished, withMoment } from "../published.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import { withOutput } from "../output-flags.ts";

/** Registers `policy list`. */
export function addList(verb: Command, world: World): void {
  withMoment(
    verb.command("list").description("the policies at a moment, as log and snapshots tell"),
  )
    .addHelpText(
      "after",
      "\nuncertain counts what log and snapshot contradict each other in, or changes within\none second leave open. A date means the end of that day in --timezone.\n\nExamples:\n  auditlake policy list\n  auditlake policy list --on 2026-03-01 --format csv",
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
      .description("what happened to a policy: its set and members in the log, and its snapshots")
      .argument("<policy>", "id or name of the policy, also a former name"),
  )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake policy history 1234\n  auditlake policy history Analysts --format csv",
    )
    .action(async (name: string, flags: Omit<MomentFlags, "timezone">, command: Command) => {
      const print = plainPrinter(world, command.optsWithGlobals());
      const ids = policyOf(name, { print });
      await askPublished("history", ids, { ...flags, timezone: "UTC" }, command, world);
    });
}

/** What finds the id of a policy that is named by id or name, and prints which it is. */
export function policyOf(name: string, at: At): IdsOf {
  return async (connection, source) => ({
    policy_id: await idOf(connection, "policy", name, source, at),
  });
}
