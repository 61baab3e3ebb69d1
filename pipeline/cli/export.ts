import { fault, notify } from "../base/notice/notice.ts";
import type { Command } from "commander";
import type { Delivery } from "../outgoing/targets/destination.ts";
import { DeliveryError, formatRowCount } from "../outgoing/targets/error.ts";
import { exitCode, type ExitCode, UsageError } from "../base/errors.ts";
import { escapeControls } from "../base/printable.ts";
import { selectReports, type QueriesFlag, type Report, listReports } from "../base/report/find.ts";
import { newStatementReport, newTableReport } from "../answers/report/statement.ts";
import { readGivenParams, refuseUnknown } from "../base/report/params.ts";
import { exportReport, planExport } from "../outgoing/exports/deliver-report.ts";
import type { ExportOrder } from "../outgoing/exports/with-rows.ts";
import { parseMoment } from "../base/time/times.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { findTarget } from "../outgoing/deliveries/target.ts";
import {
  recordDeliveries,
  type DeliveryEnd,
  type Frame,
} from "../outgoing/deliveries/record-deliveries.ts";
import { bringRecords } from "../core/session/bring-records.ts";
import { addTargets, addTest, readResultTarget } from "./export/test.ts";
import { plainPrinter, type Print } from "../base/notice/printer.ts";
import { newParamOption } from "./flag-values.ts";
import { withQueries } from "./output-flags.ts";

type Flags = QueriesFlag & {
  readonly to?: string;
  readonly result?: string;
  readonly table?: string;
  readonly file?: string;
  readonly summary?: string;
  readonly since?: string;
  readonly until?: string;
  readonly during?: string;
  readonly param: readonly string[];
  readonly yes?: true;
  readonly new?: true;
  readonly retryRefused?: true;
  readonly resendUncertain?: true;
  readonly due?: string;
  readonly dryRun?: true;
};

const notes = `
Targets are configured under targets: a folder of files, a webhook, e-mail, a data
extension of a marketing cloud, a messaging service. outputs of the target selects and
renames columns.

A delivery stores its rows until all are sent. To resume an interrupted delivery, run the
same command again: sent rows are not resent. Once every row was sent, refused or possibly
delivered, the same command sends nothing more: use --retry-refused, --resend-uncertain,
or --new for another delivery. A relative range, such as --since 7d, is a new delivery each
time.

--result takes the target itself: a JSON object of connector keys, or @FILE with JSON or
YAML, also as an out block. Credentials are allowed only in a file of mode 600; on the
command line use __SAVED__ and the name of an authentication.

Exit code 6: some rows were not delivered.

Examples:
  auditlake export targets
  auditlake export test lake
  auditlake export new_denials --to chat --dry-run
  auditlake export --table denials --to lake
  auditlake export --file people.sql --result '{"type": "file", "folder": "out"}'
  auditlake export new_denials --to lake --since 2026-11-20 --until 2026-11-21`;

/** Registers `export`, `export targets` and `export test`. */
export function exportVerb(program: Command, world: World): void {
  const verb = withQueries(
    program.command("export").description("deliver the result of a report to a target"),
  )
    .argument("[report]", "name of the report")
    .option("--table <name>", "deliver all rows of a table or view instead of a report")
    .option("--file <path>", "deliver the result of one SELECT in this file, run in a sandbox")
    .option("--to <name>", "configured target")
    .option("--result <json>", "the target itself: a JSON object of connector keys, or @FILE")
    .option("--since <time>", "start of the range, inclusive: date, RFC 3339 time, or 7d, 12h")
    .option("--until <time>", "end of the range, exclusive; also now")
    .option("--during <period>", "a period: yesterday, 2026-10, monday, last month and so on")
    .addOption(newParamOption())
    .option("--yes", "confirm actions that cannot be undone, such as clearing a data extension")
    .option("--new", "start another delivery, even if the last one is incomplete")
    .option("--retry-refused", "retry refused rows")
    .option("--resend-uncertain", "resend rows that may have arrived")
    .option("--due <time>", "due time, passed by the schedule: another time is another delivery")
    .option("--dry-run", "check everything and show what would be sent; send nothing")
    .option("--summary <file>", "write the outcome as JSON; - is standard output")
    .addHelpText("after", notes)
    .action((name: string | undefined, flags: Flags, command: Command) =>
      run(name, flags, command, world),
    );
  addTargets(verb, world);
  addTest(verb, world);
}

async function run(
  name: string | undefined,
  flags: Flags,
  command: Command,
  world: World,
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const { settings, to } = findPlace(flags, readSettings(command.optsWithGlobals(), world));
  const report = findSource(name, flags, settings, world);
  const given = readGivenParams(flags, flags.param, world.now());
  refuseUnknown(given, [report]);
  const quiet = plainPrinter(world, settings.flags);
  const order: ExportOrder = {
    report,
    given,
    to,
    confirmed: flags.yes === true,
    retryRefused: flags.retryRefused === true,
    resendUncertain: flags.resendUncertain === true,
    dueMs: flags.due === undefined ? undefined : parseMoment(flags.due, world.now()),
    isNew: flags.new === true,
    print: quiet,
  };
  if (flags.dryRun) {
    const plan = await planExport(order, settings, world);
    if (plan.columns.length > 0)
      quiet(`columns: ${plan.columns.map((column) => escapeControls(column.name)).join(", ")}`);
    quiet(`dry run: would deliver ${escapeControls(plan.text)}; nothing was sent`);
    return code;
  }
  try {
    await recordDeliveries(buildFrame(order, flags, settings), settings, world, (onEnded) =>
      exportReport(order, settings, world, (delivery) => {
        printDelivery(report.name, delivery, order.print);
        if (delivery.outcome === "partial") code = exitCode.partial;
        onEnded(toDeliveryEnd(delivery));
      }),
    );
    return code;
  } catch (error) {
    // An interrupted command prints nothing else, but how far the delivery came has to be known.
    if (world.signal.aborted && error instanceof DeliveryError)
      notify(world, fault("failed", { text: error.message }));
    throw error;
  } finally {
    await bringRecords(settings, world, "export");
  }
}

function buildFrame(
  { report, to, dueMs }: ExportOrder,
  { summary }: Flags,
  settings: Settings,
): Frame {
  const { type: connector } = findTarget(settings, to);
  return { verb: "export", name: report.name, target: to, connector, dueMs, summary };
}

function toDeliveryEnd({
  delivery,
  outcome,
  accepted,
  refused,
  uncertain = 0,
  notes: lines,
}: Delivery): DeliveryEnd {
  const counts = { rows: accepted + refused + uncertain, accepted, refused, uncertain };
  return { delivery: delivery ?? null, outcome, ...counts, more: { notes: lines } };
}

// Exactly one of the three ways to name a source has to be given.
function findSource(
  name: string | undefined,
  flags: Flags,
  settings: Settings,
  world: World,
): Report {
  const { table, file } = flags;
  const count = [name, table, file].filter((each) => each !== undefined).length;
  if (count !== 1)
    throw new UsageError(
      `expected exactly one of a report name, --table and --file, found ${count}`,
    );
  if (table !== undefined) return newTableReport(table);
  if (file !== undefined) return newStatementReport(file);
  return selectReports(listReports(settings, flags, world), [name!])[0]!;
}

function findPlace({ to, result }: Flags, settings: Settings): { settings: Settings; to: string } {
  if (to !== undefined && result !== undefined)
    throw new UsageError("found --to and --result; expected one of them");
  if (result !== undefined) {
    const given = readResultTarget(result, settings);
    return { settings: given.settings, to: given.name };
  }
  if (to !== undefined) return { settings, to };
  const { config } = settings;
  const known = Object.keys(config.targets).join(", ") || "none; add one under targets";
  throw new UsageError(
    `no target; expected --to with a target, or --result with its keys; known: ${known}`,
  );
}

function printDelivery(report: string, delivery: Delivery, print: Print): void {
  const { target, accepted, refused, uncertain = 0, notes: lines } = delivery;
  const rest = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(uncertain > 0 ? [`${uncertain} uncertain`] : []),
  ];
  for (const line of lines) print(line);
  print(`${[`${report} to ${target}: ${formatRowCount(accepted)} delivered`, ...rest].join(", ")}`);
}
