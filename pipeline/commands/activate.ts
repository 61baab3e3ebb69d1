import { existsSync } from "node:fs";
import type { Command } from "commander";
import { endpointFault } from "../../schemas/integrations.ts";
import { exitCode, messageOf, UsageError } from "../errors.ts";
import { printableLines } from "../printable.ts";
import { activate as runActivation, type Activated } from "../run/activation.ts";
import { activationFile, bringAllRuns } from "../run/activation/files.ts";
import { withWriter } from "../run/writer.ts";
import { settle, type Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { configured, fromWorkflow, type Named } from "./activate/chosen.ts";
import { sayTo } from "./output.ts";
import { type QueriesFlag, reportsFor, withQueries } from "./queries.ts";

type Flags = QueriesFlag & {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly resendUncertain?: true;
  readonly acceptRefused?: true;
  readonly fromWorkflow?: string;
};

/** Registers `activate`. */
export function activate(program: Command, world: World): void {
  withQueries(
    program
      .command("activate")
      .description("deliver what is new, updated, deleted or unchanged since the last run"),
  )
    .argument("[name]", "an activation of the configuration, or what to call that of a workflow")
    .option("--from-workflow <file>", "take the activation from a workflow file (YAML)")
    .option("--dry-run", "compare and count; deliver and remember nothing")
    .option("--yes", "agree to what cannot be undone, such as replacing all rows of a target")
    .option("--resend-uncertain", "send again what may have arrived when an earlier run broke off")
    .option("--accept-refused", "remember the run although rows were refused or may be lost")
    .addHelpText(
      "after",
      `
The rows of a report or table are compared with those of the last run by id_key
and a hash over delta_keys. The connector is set up for each class as
activation_mappings say. Rows are remembered only after all of them were
delivered: a run that fails, or of which rows were refused or may not have
arrived, is repeated by the next one.

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
    resendUncertain: flags.resendUncertain === true,
    acceptRefused: flags.acceptRefused === true,
    say,
  };
  try {
    const reports = reportsFor(settings, flags, world);
    const activated = await runActivation(name, activation, reports, order, settings, world);
    for (const line of summary(name, activated, dryRun)) say(line);
    if (activated.run.outcome === "partial") process.exitCode = exitCode.partial;
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

function summary(name: string, { run: done, unmapped }: Activated, dryRun: boolean): string[] {
  const { rows, counts, allNewBecause } = done;
  const why = allNewBecause === undefined ? "" : ` (all new: ${allNewBecause})`;
  const classes = `${counts.new} new, ${counts.updated} updated, ${counts.deleted} deleted, ${counts.unchanged} unchanged${why}`;
  const left = unmapped.map((status) => `${status}: no mapping, so not delivered`);
  const sent = dryRun ? ["dry run: nothing was delivered"] : deliveredLines(done);
  return [`${name}: ${rows} rows: ${classes}`, ...left, ...sent];
}

function deliveredLines({ accepted, refused, doubtful, outcome }: Activated["run"]): string[] {
  const failed = refused > 0 ? `, ${refused} refused` : "";
  const perhaps = doubtful > 0 ? `, ${doubtful} perhaps` : "";
  const sent = `${accepted} delivered${failed}${perhaps}`;
  if (outcome !== "partial") return [sent];
  const again = [
    "the state is as it was: the next run delivers the same again, until none is left",
    ...(doubtful > 0 ? ["--resend-uncertain sends again what may have arrived"] : []),
    "--accept-refused leaves it at what was delivered",
  ];
  return [sent, ...again];
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
