import { existsSync } from "node:fs";
import type { Command } from "commander";
import { endpointFault } from "../../schemas/integrations.ts";
import { rowCount } from "../deliver/error.ts";
import { exitCode, messageOf, UsageError } from "../errors.ts";
import { printableLines } from "../printable.ts";
import { acceptRefused, activate as runActivation } from "../run/activation.ts";
import { activationFile, bringAllRuns } from "../run/activation/files.ts";
import type { Activated } from "../run/activation/started.ts";
import { withWriter } from "../run/writer.ts";
import { settle, type Settings } from "../settings.ts";
import { parseMoment } from "../times.ts";
import type { World } from "../world.ts";
import { configured, fromWorkflow, type Named } from "./activate/chosen.ts";
import { addState } from "./activate/state.ts";
import { askOnTerminal } from "./confirm.ts";
import { sayTo } from "./output.ts";
import { type QueriesFlag, reportsFor, withQueries } from "./queries.ts";

type Flags = QueriesFlag & {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly allowEmpty?: true;
  readonly retryRefused?: true;
  readonly resendUncertain?: true;
  readonly due?: string;
  readonly acceptRefused?: true;
  readonly fromWorkflow?: string;
};

/** Registers `activate`. */
export function activate(program: Command, world: World): void {
  const verb = withQueries(
    program
      .command("activate")
      .description("deliver what is new, updated, deleted or unchanged since the last run"),
  )
    .argument("[name]", "an activation of the configuration, or what to call that of a workflow")
    .option("--from-workflow <file>", "take the activation from a workflow file (YAML)")
    .option("--dry-run", "compare and count; deliver and remember nothing")
    .option("--yes", "agree to what cannot be undone, and to more changes than the guard allows")
    .option("--allow-empty", "agree that a source without rows is right, and delete all")
    .option("--retry-refused", "try the rows again that were refused")
    .option("--resend-uncertain", "send again what may have arrived already")
    .option(
      "--accept-refused",
      "give up the rows that were refused or may be lost; deliver nothing",
    )
    .option("--due <time>", "when it was due, as the schedule gives it")
    .addHelpText(
      "after",
      `
The rows of a report or table are compared with those of the last run by id_key
and a hash over delta_keys. The connector is set up for each class as
activation_mappings say. What arrived is remembered. A row that was refused, or may
not have arrived, is set aside: with the same class and content it is tried again
only by --retry-refused or --resend-uncertain, and all others go on. A delivery that
broke off is gone on with by the next run, with the rows that it was begun with.

A run that would delete or update more than the guard of the activation allows stops
and asks, by the schedule with exit code 3; a source without rows never deletes all
without --allow-empty.

A workflow file has the parameters under _export.params, and a timezone.
Variables are put in where the file defines them: \${params.id_key} and the like,
and \${timezone}. Its tasks and its schedule are not run. What it remembers goes
by the name of the file without its extension, or by the name given.

Examples:
  auditlake activate new_denials --dry-run
  auditlake activate new_denials
  auditlake activate --from-workflow denials.yml --dry-run`,
    )
    .action(async (name: string | undefined, flags: Flags, command: Command) => {
      const settings = settle(command, world);
      const chosen =
        flags.fromWorkflow === undefined
          ? configured(name, settings)
          : fromWorkflow(flags.fromWorkflow, name, settings, sayFor(settings, world));
      await run(chosen, flags, settings, world);
    });
  addState(verb, world);
}

async function run(
  { name, activation }: Named,
  flags: Flags,
  settings: Settings,
  world: World,
): Promise<void> {
  const { api_endpoint: endpoint } = activation;
  const fault =
    endpoint === undefined ? undefined : endpointFault(endpoint, settings.config.integrations);
  if (fault !== undefined) throw new UsageError(`activation ${name}: api_endpoint: ${fault}`);
  const say = sayFor(settings, world);
  const dryRun = flags.dryRun === true;
  const order = {
    dryRun,
    confirmed: flags.yes === true,
    allowsEmpty: flags.allowEmpty === true,
    ask: askOnTerminal(world),
    retryRefused: flags.retryRefused === true,
    resendUncertain: flags.resendUncertain === true,
    dueMs: flags.due === undefined ? undefined : parseMoment(flags.due, world.now()),
    say,
  };
  try {
    if (flags.acceptRefused === true) {
      const count = await acceptRefused(name, settings, world);
      say(`${name}: ${rowCount(count)} given up; nothing was delivered`);
      return;
    }
    const reports = reportsFor(settings, flags, world);
    for (const each of await runActivation(name, activation, reports, order, settings, world)) {
      for (const line of summary(name, each, dryRun)) say(line);
      if (each.run.outcome === "partial") process.exitCode = exitCode.partial;
    }
  } finally {
    if (!dryRun && existsSync(activationFile(settings.home, name)))
      await publishRuns(settings, world);
  }
}

// Warnings are said even where nothing else is.
function sayFor({ flags }: Settings, world: World): (line: string) => void {
  const say = sayTo(world, flags.quiet === true);
  return (line) => (line.startsWith("warning:") ? sayTo(world, false) : say)(printableLines(line));
}

function summary(name: string, activated: Activated, dryRun: boolean): string[] {
  const { run: done, unmapped, aside, dropped } = activated;
  const { rows, counts, allNewBecause } = done;
  const why = allNewBecause === undefined ? "" : ` (all new: ${allNewBecause})`;
  const classes = `${counts.new} new, ${counts.updated} updated, ${counts.deleted} deleted, ${counts.unchanged} unchanged${why}`;
  const left = unmapped.map((status) => `${status}: no mapping, so not delivered`);
  const sent = dryRun ? ["dry run: nothing was delivered"] : deliveredLines(activated);
  return [
    `${name}: ${rows} rows: ${classes}`,
    ...left,
    ...(aside > 0 ? [`${rowCount(aside)} set aside, which did not arrive before`] : []),
    ...(dropped.changed > 0
      ? [
          `of what did not arrive before, ${rowCount(dropped.changed)} changed since and went by the new content`,
        ]
      : []),
    ...(dropped.gone > 0
      ? [
          `of what did not arrive before, ${rowCount(dropped.gone)} left the source and are tried no more`,
        ]
      : []),
    ...sent,
  ];
}

const maxId = 40;

function deliveredLines({ run: done, refused: rows }: Activated): string[] {
  const { accepted, refused, doubtful, outcome } = done;
  const failed = refused > 0 ? `, ${refused} refused` : "";
  const perhaps = doubtful > 0 ? `, ${doubtful} perhaps` : "";
  const sent = `${accepted} delivered${failed}${perhaps}`;
  if (outcome !== "partial") return [sent];
  const named = rows.map(
    ({ id, status, state, reason }) =>
      `warning: ${status} ${JSON.stringify(id.slice(0, maxId))} ${state}: ${reason}`,
  );
  return [
    ...named,
    sent,
    "what did not arrive is set aside, and all else is remembered; refused_rows lists it",
    ...(refused > 0 ? ["--retry-refused tries the refused ones again"] : []),
    ...(doubtful > 0 ? ["--resend-uncertain sends again what may have arrived"] : []),
    "--accept-refused gives them up",
  ];
}

// The run itself is kept already; where another run holds the lock, analysts see it after the next one.
async function publishRuns(settings: Settings, world: World): Promise<void> {
  try {
    await withWriter(settings, world, "activate", ({ database }) =>
      bringAllRuns(settings.home, database.connection),
    );
  } catch (error) {
    world.stderr.write(
      `warning: activation_runs is not published yet, the next run of activate brings it: ${printableLines(messageOf(error))}\n`,
    );
  }
}
