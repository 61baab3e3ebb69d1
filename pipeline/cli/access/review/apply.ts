import type { Command } from "commander";
import { readSettings } from "../../../base/home/settings.ts";
import { withDecided, type DecisionFlags } from "../../../answers/access/review/apply.ts";
import type { PolicyChange } from "../../../answers/access/review/checked-changes.ts";
import { rightText, type Item } from "../../../answers/access/review/item.ts";
import type { Plan } from "../../../answers/access/review/plan-decisions.ts";
import { withSending } from "../../policy/set.ts";
import { printable } from "../../../base/printable.ts";
import { rowFormatOf, writeRows, type OutputFlags } from "../../../answers/report/output.ts";
import { textResult } from "../../../answers/report/result.ts";
import { plural } from "../../../base/terminal/amounts.ts";
import { plainPrinter } from "../../../base/terminal/printer.ts";
import type { World } from "../../../base/world.ts";
import { withOutput } from "../../output-flags.ts";

type Flags = OutputFlags & DecisionFlags;

const notes = `
Every .csv of the folder is read, as any spreadsheet saves it. What is wrong in one of
them, and a policy that holds something else than was reviewed, stops everything
before anything is sent: ingest just before, so that the log knows who has come.

A right that is revoked for all who have it by a policy is taken from the policy, as
policy set does it: shown, asked for, sent once, read back. Where others keep it, where
it is a share, a role, a flag or somebody's own set, the plan names the operation to
do by hand, with the ids filled in. Where others are not decided on, it waits for them.

The files may come back one by one: what was decided before stays, and what is done
is not done again. access review status shows what came of it.

Examples:
  auditlake access review apply review-march --dry-run
  auditlake access review apply review-march --format csv --out steps.csv`;

/** Registers `access review apply`. */
export function addApply(verb: Command, world: World): void {
  withSending(
    withOutput(
      verb
        .command("apply")
        .description("carry out what was decided: what a policy loses is sent, the rest is named")
        .argument("<folder>", "the files of a review with the decisions"),
    ),
  )
    .option("--reviewer <name>", "who decided, where a row names nobody")
    .option(
      "--allow-undocumented",
      "send also what the reference does not show, such as kinds beside Databases",
    )
    .addHelpText("after", notes)
    .action((folder: string, flags: Flags, command: Command) => run(folder, flags, command, world));
}

async function run(folder: string, flags: Flags, command: Command, world: World): Promise<void> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const format = rowFormatOf(flags);
  const print = plainPrinter(world, settings.flags);
  await withDecided(folder, flags, settings, world, async ({ plan, changes, carryOut }) => {
    await writeRows(planRows(plan, changes), format, flags, world, print);
    print(summaryOf(plan, changes));
    if (flags.dryRun) print("dry run: nothing was sent or kept");
    else await carryOut();
  });
}

function planRows(plan: Plan, changes: readonly PolicyChange[]): ReturnType<typeof textResult> {
  const row = (how: string, items: readonly Item[], operation: string | null, note: string) => [
    how,
    [...new Set(items.map(({ person }) => person))].join(", "),
    [...new Set(items.map(rightText))].join(", "),
    operation,
    note,
    items.map((item) => item.row).join(" "),
  ];
  return textResult(
    ["how", "person", "loses", "operation", "note", "rows"],
    [
      ...changes.flatMap(({ target, taken }) =>
        taken.map(({ items }) =>
          row(
            "sent",
            items,
            `PATCH /v3/access_control/policies/${target.id}/permissions`,
            `all who have it by the policy lose it`,
          ),
        ),
      ),
      ...plan.steps.map(({ items, operation, note }) => row("by hand", items, operation, note)),
      ...plan.waiting.map(({ item, undecided }) =>
        row("waits", [item], null, `for the decision on ${peopleOf(undecided)}`),
      ),
      ...plan.gone.map((item) => row("done", [item], null, "not held any more")),
    ],
  );
}

function peopleOf(items: readonly Item[]): string {
  const people = [...new Set(items.map(({ person }) => printable(person)))];
  return people.length > 3
    ? `${people.slice(0, 3).join(", ")} and ${people.length - 3} more`
    : people.join(", ");
}

function summaryOf(plan: Plan, changes: readonly PolicyChange[]): string {
  return [
    `${plural(changes.length, "set")} to send`,
    `${plural(plan.steps.length, "step")} to do by hand`,
    `${plan.waiting.length} waiting`,
    `${plan.gone.length} done`,
  ].join(", ");
}
