import { jsonDocument } from "../../base/printable.ts";
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { lastDeliveries } from "../../core/store/delivery-runs.ts";
import { exitCode, type ExitCode } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { requirePublished } from "../../base/home/published.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { streamSink } from "../../answers/report/result.ts";
import { type Ahead, leave } from "../../answers/status/open-ahead.ts";
import type { Failure } from "../../answers/status/fail-on.ts";
import { homeFiles } from "../../answers/status/home-files.ts";
import { filesText, printDeliveries, printStatus, textsLine } from "../../answers/status/print.ts";
import { prometheusText } from "../../answers/status/prometheus.ts";
import { type FoundStatus, withStatus } from "../../answers/status/with-status.ts";
import { commandText } from "../../base/command-line.ts";
import { textLimitOf } from "../../core/query-texts/read-due.ts";
import { proseColumns, type World } from "../../base/world.ts";

/** In which form `status` answers, and what it fails on. */
export type Wanted = {
  readonly format: "text" | "json" | "prometheus";
  readonly failOn: readonly Failure[];
};

const isNoHome =
  ": there is no such home. Check --home, AUDITLAKE_HOME\nand home in the configuration, or start with one of";
const start = (): string => `
  ${commandText("ingest")}        read the service's audit log
  ${commandText("import", "FILE")}   load a file of audit records
`;

/**
 * Writes the status of the home that the settings name; resolves to exit code 3 where something is found that it is to fail
 * on. `ahead` is what was opened before they were known.
 */
export async function answer(
  wanted: Wanted,
  command: Command,
  ahead: Ahead | undefined,
  world: World,
): Promise<ExitCode> {
  const settings = await settingsAhead(command, ahead, world);
  if (!existsSync(settings.home.published)) {
    await leave(ahead);
    await answerNothing(wanted, settings, world);
    return exitCode.done;
  }
  return await answerFrom(wanted, settings, ahead, world);
}

async function settingsAhead(
  command: Command,
  ahead: Ahead | undefined,
  world: World,
): Promise<Settings> {
  try {
    return readSettings(command.optsWithGlobals(), world);
  } catch (error) {
    await leave(ahead);
    throw error;
  }
}

async function answerNothing(wanted: Wanted, settings: Settings, world: World): Promise<void> {
  await printNothing(wanted, settings, world);
  // With --fail-on, missing data is a failure.
  if (wanted.failOn.length > 0) requirePublished(settings.home.published);
}

async function printNothing({ format }: Wanted, { home }: Settings, world: World): Promise<void> {
  const files = homeFiles(home);
  const sink = streamSink(world.stdout, world.signal);
  const nothing = { ...files, runs: [], sources: [] };
  if (format === "prometheus") return sink(prometheusText(files, nothing, lastDeliveries(home)));
  if (format === "json") return sink(jsonDocument(nothing));
  await sink(filesText(files) + nothingYet(home));
}

// A home that was made and is empty differs from one whose name is mistyped.
function nothingYet({ root }: Home): string {
  return `\nnothing published yet${existsSync(root) ? ". Start with one of" : isNoHome}${start()}`;
}

async function answerFrom(
  { format, failOn }: Wanted,
  settings: Settings,
  ahead: Ahead | undefined,
  world: World,
): Promise<ExitCode> {
  const files = homeFiles(settings.home);
  const deliveries = lastDeliveries(settings.home);
  const sink = streamSink(world.stdout, world.signal);
  const print = async (found: FoundStatus): Promise<void> => {
    if (format === "prometheus") return sink(prometheusText(files, found, deliveries));
    if (format === "json") return sink(jsonDocument({ ...files, ...found, deliveries }));
    await sink(filesText(files) + textsLine(found.query_texts, textLimitOf(settings, world)));
    await printStatus(found, sink, proseColumns(world));
    await printDeliveries(deliveries, sink, proseColumns(world));
  };
  const failing = await withStatus(settings, ahead, world.now(), failOn, print);
  if (failing.length === 0) return exitCode.done;
  world.stderr.write(`found: ${failing.join(", ")}\n`);
  return exitCode.findings;
}
