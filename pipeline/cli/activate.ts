import { Readable } from "node:stream";
import { type Command, Option } from "commander";
import type { Activation } from "../../schemas/activation.ts";
import { formatRowCount } from "../outgoing/targets/error.ts";
import { exitCode, type ExitCode } from "../base/errors.ts";
import { readGivenParams } from "../base/report/params.ts";
import type { Row } from "../base/rows/row.ts";
import { acceptRefused, activate as runActivation } from "../outgoing/activations/run.ts";
import { hasMemory } from "../outgoing/activations/state.ts";
import { nameTarget } from "../outgoing/deliveries/target.ts";
import type { ActivationResult, Preview } from "../outgoing/activations/started.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { parseMoment } from "../base/time/times.ts";
import type { World } from "../base/world.ts";
import {
  findEndpoint,
  findConfigured,
  loadWorkflow,
  type NamedActivation,
} from "../outgoing/activations/find-activation.ts";
import { addState } from "./activate/state.ts";
import { askOnTerminal } from "../base/terminal/confirm.ts";
import { type DeliveryEnd, recordDeliveries } from "../outgoing/deliveries/record-deliveries.ts";
import { bringRecords } from "../core/session/bring-records.ts";
import { writeRows } from "../answers/report/output.ts";
import { type QueriesFlag, listReports } from "../base/report/find.ts";
import { plainPrinter, type Line, type Print } from "../base/notice/printer.ts";
import { newParamOption, smallCount } from "./flag-values.ts";
import { withQueries } from "./output-flags.ts";
import { withhold, warning } from "../base/notice/notice.ts";

type Flags = QueriesFlag & {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly allowEmpty?: true;
  readonly retryRefused?: true;
  readonly resendUncertain?: true;
  readonly due?: string;
  readonly acceptRefused?: true;
  readonly fromWorkflow?: string;
  readonly preview?: number;
  readonly summary?: string;
  readonly param: readonly string[];
};

/** Registers `activate`. */
export function activate(program: Command, world: World): void {
  const verb = withQueries(
    program
      .command("activate")
      .description("deliver new, updated, deleted or unchanged rows since the last run"),
  )
    .argument("[name]", "configured activation, or a name for the activation of a workflow")
    .option("--from-workflow <file>", "read the activation from a workflow file (YAML)")
    .option("--dry-run", "compare and count; deliver and store nothing")
    .addOption(
      new Option("--preview [rows]", "like --dry-run, and show the first rows of each class (10)")
        .preset("10")
        .argParser(smallCount),
    )
    .addOption(newParamOption())
    .option(
      "--yes",
      "confirm actions that cannot be undone, and more changes than the guard allows",
    )
    .option("--allow-empty", "confirm that the source is empty, and delete all rows")
    .option("--retry-refused", "retry refused rows")
    .option("--resend-uncertain", "resend rows that may have arrived")
    .option("--accept-refused", "give up refused and possibly lost rows; deliver nothing")
    .option("--due <time>", "due time, passed by the schedule")
    .option("--summary <file>", "write the outcome as JSON; - is standard output")
    .addHelpText(
      "after",
      `
Compares the rows of a report or table with those of the last run, by id_key and a hash
over delta_keys, and delivers each class with the connector settings of
activation_mappings. Delivered rows are stored. A refused or possibly lost row does not
stop the others; with the same class and content it is retried only with --retry-refused
or --resend-uncertain. The next run resumes an interrupted delivery with its rows.

A run that would delete or update more rows than the guard of the activation allows asks
for confirmation, or ends with exit code 3 in the schedule; an empty source deletes all
rows only with --allow-empty.

A workflow file has the parameters under _export.params, and a timezone. Variables
defined in the file are substituted: \${params.id_key} and others, and \${timezone}. Its
tasks and schedule are not run. The state is named after the file without its extension,
or after the given name.

Examples:
  auditlake activate new_denials --dry-run
  auditlake activate new_denials --preview 5
  auditlake activate new_denials
  auditlake activate --from-workflow denials.yml --dry-run`,
    )
    .action(async (name: string | undefined, flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const chosen =
        flags.fromWorkflow === undefined
          ? findConfigured(name, settings)
          : loadWorkflow(flags.fromWorkflow, name, settings, plainPrinter(world, settings.flags));
      return await run(chosen, flags, settings, world);
    });
  addState(verb, world);
}

async function run(
  given: NamedActivation,
  flags: Flags,
  settings: Settings,
  world: World,
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const print = plainPrinter(world, settings.flags);
  const { name, activation: found, timezone } = await findEndpoint(given, settings, world, print);
  const activation = withParams(found, flags);
  const dryRun = flags.dryRun === true || flags.preview !== undefined;
  const dueMs = flags.due === undefined ? undefined : parseMoment(flags.due, world.now());
  const order = {
    dryRun,
    preview: flags.preview,
    confirmed: flags.yes === true,
    allowsEmpty: flags.allowEmpty === true,
    ask: askOnTerminal(world),
    retryRefused: flags.retryRefused === true,
    resendUncertain: flags.resendUncertain === true,
    timezone,
    dueMs,
    print,
  };
  const startActivation = async (onEnded: (came: DeliveryEnd) => void): Promise<void> => {
    const reports = listReports(settings, flags, world);
    await runActivation({ name, activation, reports, order }, settings, world, async (each) => {
      for (const line of formatActivation(name, each, dryRun)) print(line);
      await printPreview(each.preview ?? [], world, print);
      if (each.run.outcome === "partial") code = exitCode.partial;
      onEnded(toDeliveryEnd(name, each));
    });
  };
  if (dryRun) {
    await startActivation(() => undefined);
    return code;
  }
  try {
    if (flags.acceptRefused === true) {
      const count = await acceptRefused(name, settings, world);
      print(`${name}: ${formatRowCount(count)} given up; nothing was delivered`);
      return code;
    }
    const connector = activation.result_connection_settings.type;
    const to = { verb: "activate", name, target: nameTarget(name), connector } as const;
    const frame = { ...to, dueMs, summary: flags.summary };
    await recordDeliveries(frame, settings, world, startActivation);
    return code;
  } finally {
    if (hasMemory(settings.home, name)) await bringRecords(settings, world, "activate");
  }
}

function withParams(activation: Activation, { param }: Flags): Activation {
  if (param.length === 0) return activation;
  const given = Object.fromEntries(readGivenParams({}, param));
  return { ...activation, params: { ...activation.params, ...given } };
}

async function printPreview(
  previews: readonly Preview[],
  world: World,
  print: Print,
): Promise<void> {
  for (const { status, columns, rows } of previews) {
    print(`${status}: the first ${rows.length} of the rows that would be sent`);
    const batches = Readable.from([rows]) as AsyncIterable<readonly Row[]>;
    await writeRows({ columns, batches }, "table", {}, world, print);
  }
}

export function formatActivation(
  name: string,
  activated: ActivationResult,
  dryRun: boolean,
): Line[] {
  const { run: done, unmapped, setAside, dropped } = activated;
  const { rows, counts, allNewBecause } = done;
  const why = allNewBecause === undefined ? "" : ` (all new: ${allNewBecause})`;
  const classes = `${counts.new} new, ${counts.updated} updated, ${counts.deleted} deleted, ${counts.unchanged} unchanged${why}`;
  const left = unmapped.map((status) => `${status}: no mapping, so not delivered`);
  const sent = dryRun ? ["dry run: nothing was delivered"] : listDeliveredLines(activated);
  return [
    `${name}: ${rows} rows: ${classes}`,
    ...left,
    ...(setAside > 0
      ? [`${formatRowCount(setAside)} not sent, because earlier deliveries failed`]
      : []),
    ...(dropped.changed > 0
      ? [
          `${formatRowCount(dropped.changed)} undelivered before and changed since then: the new content applies`,
        ]
      : []),
    ...(dropped.gone > 0
      ? [
          `${formatRowCount(dropped.gone)} undelivered before and no longer in the source: not retried`,
        ]
      : []),
    ...sent,
  ];
}

const maxId = 40;

function listDeliveredLines({ run: done, refused: rows }: ActivationResult): Line[] {
  const { accepted, refused, uncertain, outcome } = done;
  const failed = refused > 0 ? `, ${refused} refused` : "";
  const perhaps = uncertain > 0 ? `, ${uncertain} uncertain` : "";
  const sent = `${accepted} delivered${failed}${perhaps}`;
  if (outcome !== "partial") return [sent];
  const named = rows.map(({ id, status, state, reason: why }) => {
    const shown = withhold(JSON.stringify(id.slice(0, maxId)), "row");
    return warning("row_missed", { status, id: shown, state, why });
  });
  return [
    ...named,
    sent,
    "failed rows are recorded in refused_rows and not sent again; all others count as delivered",
    ...(refused > 0 ? ["--retry-refused retries refused rows"] : []),
    ...(uncertain > 0 ? ["--resend-uncertain resends rows that may have arrived"] : []),
    "--accept-refused gives up all of them",
  ];
}

/** The same for the record of deliveries. */
function toDeliveryEnd(name: string, { run, refused: rows }: ActivationResult): DeliveryEnd {
  const { accepted, refused, uncertain, outcome, counts, number } = run;
  const classes = { ...counts, all_new_because: run.allNewBecause ?? null };
  return {
    delivery: `${name}-${number}`,
    // A run that fails throws, and is recorded as such.
    outcome: outcome === "partial" ? "partial" : "delivered",
    rows: run.rows,
    accepted,
    refused,
    uncertain,
    more: { classes, refused_rows: rows },
  };
}
