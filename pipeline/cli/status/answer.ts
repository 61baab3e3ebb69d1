import { formatJsonDocument } from "../../base/printable.ts";
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { listLastDeliveries } from "../../core/store/delivery-runs.ts";
import { exitCode, type ExitCode } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { requirePublished } from "../../base/home/published.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { newStreamSink } from "../../answers/report/result.ts";
import { type OpenedAhead, closeAhead } from "../../answers/status/open-ahead.ts";
import type { Failure } from "../../answers/status/fail-on.ts";
import { readHomeFiles } from "../../answers/status/home-files.ts";
import {
  formatFiles,
  printDeliveries,
  printStatus,
  formatTexts,
} from "../../answers/status/print.ts";
import { formatFindings } from "../../answers/status/findings.ts";
import { writePrometheus } from "../../answers/status/prometheus.ts";
import { type ReadStatus, withStatus } from "../../answers/status/with-status.ts";
import { formatCommand } from "../../base/command-line.ts";
import { chooseTextLimit } from "../../core/query-texts/read-due.ts";
import { countProseColumns, type World } from "../../base/world.ts";

/** In which form `status` answers, and what it fails on. */
export type StatusRequest = {
  readonly format: "text" | "json" | "prometheus";
  readonly failOn: readonly Failure[];
};

const isNoHome =
  ": the home does not exist. Check --home, AUDITLAKE_HOME\nand home in the configuration, or start with one of";
const start = (): string => `
  ${formatCommand("ingest")}        read the service's audit log
  ${formatCommand("import", "FILE")}   load a file of audit records
`;

/**
 * Writes the status of the home that the settings name; resolves to exit code 3 where something is found that it is to fail
 * on. `ahead` is what was opened before they were known.
 */
export async function answer(
  wanted: StatusRequest,
  command: Command,
  ahead: OpenedAhead | undefined,
  world: World,
): Promise<ExitCode> {
  const settings = await readSettingsAhead(command, ahead, world);
  if (!existsSync(settings.home.published)) {
    await closeAhead(ahead);
    await answerNothing(wanted, settings, world);
    return exitCode.done;
  }
  return await answerFrom(wanted, settings, ahead, world);
}

async function readSettingsAhead(
  command: Command,
  ahead: OpenedAhead | undefined,
  world: World,
): Promise<Settings> {
  try {
    return readSettings(command.optsWithGlobals(), world);
  } catch (error) {
    await closeAhead(ahead);
    throw error;
  }
}

async function answerNothing(
  wanted: StatusRequest,
  settings: Settings,
  world: World,
): Promise<void> {
  await printNothing(wanted, settings, world);
  // With --fail-on, missing data is a failure.
  if (wanted.failOn.length > 0) requirePublished(settings.home.published);
}

async function printNothing(
  { format }: StatusRequest,
  { home }: Settings,
  world: World,
): Promise<void> {
  const files = readHomeFiles(home);
  const sink = newStreamSink(world.stdout, world.signal);
  const nothing = { ...files, runs: [], sources: [] };
  if (format === "prometheus")
    return sink(writePrometheus(files, nothing, listLastDeliveries(home)));
  if (format === "json") return sink(formatJsonDocument(nothing));
  await sink(formatFiles(files) + formatNothingYet(home));
}

// A home that was made and is empty differs from one whose name is mistyped.
function formatNothingYet({ root }: Home): string {
  return `\nnothing published yet${existsSync(root) ? ". Start with one of" : isNoHome}${start()}`;
}

async function answerFrom(
  { format, failOn }: StatusRequest,
  settings: Settings,
  ahead: OpenedAhead | undefined,
  world: World,
): Promise<ExitCode> {
  const files = readHomeFiles(settings.home);
  const deliveries = listLastDeliveries(settings.home);
  const sink = newStreamSink(world.stdout, world.signal);
  const print = async (found: ReadStatus): Promise<void> => {
    if (format === "prometheus") return sink(writePrometheus(files, found, deliveries));
    if (format === "json") return sink(formatJsonDocument({ ...files, ...found, deliveries }));
    await sink(
      formatFiles(files) +
        formatTexts(found.query_texts, chooseTextLimit(settings, world)) +
        formatFindings(found.findings, countProseColumns(world)),
    );
    await printStatus(found, sink, countProseColumns(world));
    await printDeliveries(deliveries, sink, countProseColumns(world));
  };
  const failing = await withStatus(settings, ahead, world.now(), failOn, print);
  if (failing.length === 0) return exitCode.done;
  world.stderr.write(`found: ${failing.join(", ")}\n`);
  return exitCode.findings;
}
