import type { Command } from "commander";
import { readSettings } from "../../../base/home/settings.ts";
import { withDecided, type DecisionFlags } from "../../../answers/access/review/apply.ts";
import type { PolicyChange } from "../../../answers/access/review/check-changes.ts";
import { formatRight, type Item } from "../../../answers/access/review/item.ts";
import type { Plan } from "../../../answers/access/review/plan-decisions.ts";
import { withSending } from "../../policy/set.ts";
import { escapeControls } from "../../../base/printable.ts";
import { chooseRowFormat, writeRows, type OutputFlags } from "../../../answers/report/output.ts";
import { newTextResult } from "../../../answers/report/result.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import { plainPrinter } from "../../../base/notice/printer.ts";
import type { World } from "../../../base/world.ts";
import { withOutput } from "../../output-flags.ts";

type Flags = OutputFlags & DecisionFlags;

const notes = `
Reads every .csv of the folder, in any spreadsheet format. An error in one of them, or a
policy that differs from the reviewed state, stops the command before anything is sent:
run ingest immediately before.

A right that is revoked for all its holders in a policy is removed from the policy, as
with policy set: shown, confirmed, sent once, read back. If any holder is undecided, it
waits. All other revocations (others keep the right; shares, roles, flags, own sets) are
listed as manual steps with operation and ids.

You can apply files one by one: earlier decisions stay, completed steps are not repeated.
access review status shows the result.

Examples:
  auditlake access review apply review-march --dry-run
  auditlake access review apply review-march --format csv --out steps.csv`;

/** Registers `access review apply`. */
export function addApply(verb: Command, world: World): void {
  withSending(
    withOutput(
      verb
        .command("apply")
        .description("apply the decisions: send policy changes, list the manual steps")
        .argument("<folder>", "folder with the reviewed files"),
    ),
  )
    .option("--reviewer <name>", "reviewer of rows without one")
    .option(
      "--allow-undocumented",
      "also send kinds other than Databases, which the reference does not show",
    )
    .addHelpText("after", notes)
    .action((folder: string, flags: Flags, command: Command) => run(folder, flags, command, world));
}

async function run(folder: string, flags: Flags, command: Command, world: World): Promise<void> {
  const settings = readSettings(command.optsWithGlobals(), world);
  const format = chooseRowFormat(flags);
  const print = plainPrinter(world, settings.flags);
  await withDecided(folder, flags, settings, world, async ({ plan, changes, carryOut }) => {
    await writeRows(planRows(plan, changes), format, flags, world, print);
    print(formatSummary(plan, changes));
    if (flags.dryRun) print("dry run: nothing was sent or stored");
    else await carryOut();
  });
}

function planRows(plan: Plan, changes: readonly PolicyChange[]): ReturnType<typeof newTextResult> {
  const buildRow = (
    how: string,
    items: readonly Item[],
    operation: string | null,
    note: string,
  ) => [
    how,
    [...new Set(items.map(({ person }) => person))].join(", "),
    [...new Set(items.map(formatRight))].join(", "),
    operation,
    note,
    items.map((item) => item.row).join(" "),
  ];
  return newTextResult(
    ["how", "person", "loses", "operation", "note", "rows"],
    [
      ...changes.flatMap(({ target, taken }) =>
        taken.map(({ items }) =>
          buildRow(
            "sent",
            items,
            `PATCH /v3/access_control/policies/${target.id}/permissions`,
            `all members of the policy lose it`,
          ),
        ),
      ),
      ...plan.steps.map(({ items, operation, note }) =>
        buildRow("by hand", items, operation, note),
      ),
      ...plan.waiting.map(({ item, undecided }) =>
        buildRow("waits", [item], null, `for the decision on ${formatPeople(undecided)}`),
      ),
      ...plan.gone.map((item) => buildRow("done", [item], null, "already removed")),
    ],
  );
}

function formatPeople(items: readonly Item[]): string {
  const people = [...new Set(items.map(({ person }) => escapeControls(person)))];
  return people.length > 3
    ? `${people.slice(0, 3).join(", ")} and ${people.length - 3} more`
    : people.join(", ");
}

function formatSummary(plan: Plan, changes: readonly PolicyChange[]): string {
  return [
    `${formatCount(changes.length, "set")} to send`,
    `${formatCount(plan.steps.length, "step")} to do by hand`,
    `${plan.waiting.length} waiting`,
    `${plan.gone.length} done`,
  ].join(", ");
}
