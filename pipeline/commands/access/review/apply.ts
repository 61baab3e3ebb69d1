import type { Command } from "commander";
import { toTimestamp, dayText } from "../../../moments/text.ts";
import { printable } from "../../../printable.ts";
import { textResult } from "../../../report/result.ts";
import { clientOf } from "../../../source/configured-client.ts";
import { decisionsOf } from "../../../policies/review/decisions.ts";
import { rightText, type Item } from "../../../policies/review/item.ts";
import {
  decisionsSoFar,
  keepDecided,
  type Decision,
  type Review,
} from "../../../policies/review/kept-decisions.ts";
import { planOf, type Plan } from "../../../policies/review/plan-decisions.ts";
import { holdingsAt } from "../../../policies/review/rights.ts";
import type { SheetRow } from "../../../policies/review/sheet.ts";
import { readSheets, reviewOf } from "../../../policies/review/sheets.ts";
import { heldKeys } from "../../../policies/review/standing.ts";
import { newRunId } from "../../../store/ledger/totals.ts";
import { chooseSource, readSettings, type Settings } from "../../../home/settings.ts";
import { readLimits } from "../../../store/limits.ts";
import { openPublished } from "../../../store/open.ts";
import type { World } from "../../../world.ts";
import { rowFormatOf, withOutput, writeRows, type OutputFlags } from "../../../report/output.ts";
import { withSending } from "../../../policies/send-flags.ts";
import type { SendFlags } from "../../../policies/send.ts";
import { plural } from "../../../terminal/amounts.ts";
import {
  checkedChanges,
  sendChanges,
  type PolicyChange,
} from "../../../policies/review/checked-changes.ts";
import { plainPrinter } from "../../../terminal/printer.ts";

type Flags = OutputFlags &
  SendFlags & { readonly reviewer?: string; readonly allowUndocumented?: true };

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
  const settings = readSettings(command, world);
  const format = rowFormatOf(flags);
  const print = plainPrinter(world, settings.flags.quiet === true);
  const rows = readSheets(folder);
  const review = reviewOf(rows, folder, settings);
  const taken = readDecisions(rows, review, flags, settings, world);
  const decisions = new Map([...decisionsSoFar(settings.home, review.review_id), ...taken]);
  warn(review, taken, decisions, world);
  const source = chooseSource(
    { ...settings, flags: { ...settings.flags, source: review.source } },
    world,
  );
  const holdings = await holdingsNow(settings, review, world);
  const held = heldKeys(holdings);
  const plan = planOf(review.items, decisions, (key) => held.has(key));
  await using client = plan.taken.size === 0 ? undefined : clientOf(settings, source, world);
  const checked =
    client === undefined
      ? { changes: [], steps: [] }
      : await checkedChanges(plan, { review, holdings, decisions }, flags, {
          settings,
          source,
          client,
        });
  const all = { ...plan, steps: [...plan.steps, ...checked.steps] };
  await writeRows(planRows(all, checked.changes), format, flags, world, print);
  print(summaryOf(all, checked.changes));
  if (flags.dryRun) return print("dry run: nothing was sent or kept");
  await keepDecided(settings.home, newRunId(world.now(), world.random), {
    version: 1,
    review_id: review.review_id,
    decided_at: new Date(world.now()).toISOString(),
    decisions: [...taken.values()],
  });
  await sendChanges(checked.changes, review, decisions, flags, world);
}

function readDecisions(
  rows: readonly SheetRow[],
  review: Review,
  flags: Flags,
  { config }: Settings,
  world: World,
): Map<string, Decision> {
  return decisionsOf(rows, review, {
    reviewer: flags.reviewer,
    date: dayText(world.now()),
    isReasonNeeded: config.policies.require_reason && flags.reason === undefined,
  });
}

// What a reviewer should not have done is a warning, and is theirs to answer for.
function warn(
  { items }: Review,
  taken: ReadonlyMap<string, Decision>,
  decisions: ReadonlyMap<string, Decision>,
  world: World,
): void {
  const missing = items.filter(({ row }) => !decisions.has(row)).length;
  const own = items.filter(
    ({ row, person }) =>
      taken.get(row)?.decision === "keep" && taken.get(row)!.reviewer.toLowerCase() === person,
  ).length;
  if (missing > 0)
    world.stderr.write(
      `warning: ${plural(missing, "row")} of the review are in no file; they are not decided\n`,
    );
  if (own > 0)
    world.stderr.write(`warning: ${plural(own, "row")} kept by the person whose right it is\n`);
}

async function holdingsNow(
  settings: Settings,
  { source }: Review,
  world: World,
): ReturnType<typeof holdingsAt> {
  const on = toTimestamp(world.now());
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  return await holdingsAt(database.connection, { source, on });
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
