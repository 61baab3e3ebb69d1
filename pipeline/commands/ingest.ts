import type { Command } from "commander";
import { AuditlakeError, UsageError, exitCode, messageOf } from "../errors.ts";
import { landUsers } from "../landing/directory.ts";
import { clientOf } from "../run/client.ts";
import {
  loadPending,
  runWindows,
  type Resumed,
  type RunOutcome,
  type WindowFailure,
} from "../run/nightly.ts";
import { newProgress } from "../run/progress.ts";
import { newRun, newRunId, toTimestamp } from "../run/totals.ts";
import { nightlyRange, windowsOf } from "../run/windows.ts";
import { withWriter, type Writer } from "../run/writer.ts";
import { chooseSource, settle, type NamedSource, type Settings } from "../settings.ts";
import type { Window } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { readUsers } from "../source/users.ts";
import { parseMoment } from "../times.ts";
import { toolVersion } from "../version.ts";
import { finalUpTo, sealedUntil } from "../warehouse/ledger.ts";
import { openPublished } from "../warehouse/open.ts";
import { storeUsers } from "../warehouse/users.ts";
import type { World } from "../world.ts";
import { existsSync } from "node:fs";

type IngestFlags = { readonly from?: string; readonly to?: string; readonly dryRun?: true };

/** Registers `ingest`. */
export function ingest(program: Command, world: World): void {
  program
    .command("ingest")
    .description(
      "pull the audit log page by page and load it; without a range, continue from the checkpoint",
    )
    .option(
      "--from <time>",
      "read from this time on (a backfill: the checkpoint stays); a date, RFC 3339, or 30d",
    )
    .option("--to <time>", "read up to this time (default now)")
    .option("--dry-run", "print the windows that would be read and stop")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake ingest\n  auditlake ingest --from 30d\n  auditlake ingest --from 2026-01-01 --to 2026-02-01",
    )
    .action(async (flags: IngestFlags, command: Command) => {
      const settings = settle(command, world);
      const source = chooseSource(settings, world);
      const range = backfillRange(flags, world.now());
      if (flags.dryRun) return printPlan(settings, source, range, world);
      await runIngest(settings, source, range, world);
    });
}

function backfillRange(flags: IngestFlags, nowMs: number): Window | undefined {
  if (flags.from === undefined && flags.to === undefined) return undefined;
  if (flags.from === undefined)
    throw new UsageError("--to needs --from; a run without a range continues from the checkpoint");
  const startMs = parseMoment(flags.from, nowMs);
  const endMs = flags.to === undefined ? nowMs : parseMoment(flags.to, nowMs);
  if (startMs >= endMs)
    throw new UsageError(`--from ${flags.from} is not before --to ${flags.to ?? "now"}`);
  return { startMs, endMs };
}

async function printPlan(
  settings: Settings,
  source: NamedSource,
  backfill: Window | undefined,
  world: World,
): Promise<void> {
  const range =
    backfill ??
    nightlyRange(await publishedCheckpoint(settings, source), source.lookback, world.now());
  for (const { startMs, endMs } of windowsOf(range, source.window))
    world.stdout.write(`${iso(startMs)}\t${iso(endMs)}\n`);
}

async function publishedCheckpoint(
  settings: Settings,
  source: NamedSource,
): Promise<number | undefined> {
  if (!existsSync(settings.home.published)) return undefined;
  await using database = await openPublished(settings.home.published, {
    memoryLimit: settings.config.memory_limit,
  });
  return sealedUntil(database.connection, source.name);
}

async function runIngest(
  settings: Settings,
  source: NamedSource,
  backfill: Window | undefined,
  world: World,
): Promise<void> {
  const client = clientOf(settings, source, world);
  const startMs = world.now();
  try {
    await withWriter(settings, world, "ingest", source.limits.max_record_bytes, async (writer) => {
      const ingested = await ingestWindows(settings, source, backfill, writer, client, world);
      printSummary(ingested, settings, world, startMs);
      const { outcome, resumed, usersError } = ingested;
      const isPartial = [...outcome.failures, ...resumed.failures].length > 0;
      if (outcome.run.outcome === "failed") process.exitCode = exitCode.failed;
      else if (isPartial || usersError !== undefined) process.exitCode = exitCode.partial;
    });
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

type Ingested = {
  readonly outcome: RunOutcome;
  readonly resumed: Resumed;
  readonly usersError: string | undefined;
  readonly finalMs: number | undefined;
};

async function ingestWindows(
  settings: Settings,
  source: NamedSource,
  backfill: Window | undefined,
  writer: Writer,
  client: Client,
  world: World,
): Promise<Ingested> {
  const { connection } = writer.database;
  const nowMs = world.now();
  const range =
    backfill ?? nightlyRange(await sealedUntil(connection, source.name), source.lookback, nowMs);
  const runId = newRunId(nowMs, world.random);
  const run = newRun({
    runId,
    source: source.name,
    command: backfill === undefined ? "ingest" : "backfill",
    startedAt: toTimestamp(nowMs),
    rangeStart: toTimestamp(range.startMs),
    rangeEnd: toTimestamp(range.endMs),
    catalogVersion: writer.catalogVersion,
    toolVersion: toolVersion(),
  });
  const resumed = await loadPending(settings.home, run, writer, world);
  const windows = windowsOf(range, source.window);
  if (settings.flags.quiet !== true) announce(range, backfill === undefined, resumed, world);
  const usersError = await loadUsers(client, settings, source, writer, world);
  const progress = newProgress(
    settings.flags.progress,
    settings.flags.quiet === true,
    windows.length,
    "windows",
    world,
  );
  try {
    const plan = {
      runId,
      source,
      landing: settings.home.landing,
      nightly: backfill === undefined,
      rangeStartMs: windows[0]?.startMs ?? range.startMs,
    };
    const outcome = await runWindows(
      client,
      plan,
      windows,
      run,
      settings.home,
      writer,
      world,
      progress.update,
    );
    return { outcome, resumed, usersError, finalMs: await finalUpTo(connection, source.name) };
  } finally {
    progress.end();
  }
}

function announce(range: Window, isNightly: boolean, resumed: Resumed, world: World): void {
  if (resumed.loaded > 0)
    world.stderr.write(`loaded ${resumed.loaded} reads that an earlier run had landed\n`);
  const why = isNightly ? "from the checkpoint and the look-back" : "as asked for";
  world.stderr.write(`reading ${iso(range.startMs)} to ${iso(range.endMs)}, ${why}\n`);
}

// Without the directory events stay as they are; the e-mails come with the next run that can read it. A key
// that may not read it can still be one that may read the log.
async function loadUsers(
  client: Client,
  settings: Settings,
  source: NamedSource,
  writer: Writer,
  world: World,
): Promise<string | undefined> {
  try {
    const users = await readUsers(client, source.users_path);
    const readAt = toTimestamp(world.now());
    await landUsers(settings.home.landing, { source: source.name, readAt, users });
    await storeUsers(writer.database.connection, source.name, users, readAt);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuditlakeError) || world.signal.aborted) throw error;
    return messageOf(error);
  }
}

function printSummary(
  { outcome: { run, failures }, resumed, usersError, finalMs }: Ingested,
  settings: Settings,
  world: World,
  startMs: number,
): void {
  for (const failure of resumed.failures) world.stderr.write(`error: ${failure}\n`);
  for (const line of failureLines(failures)) world.stderr.write(`error: ${line}\n`);
  if (usersError !== undefined)
    world.stderr.write(`warning: the user directory could not be read: ${usersError}\n`);
  if (settings.flags.quiet === true) return;
  const seconds = ((world.now() - startMs) / 1000).toFixed(1);
  const quarantined = run.quarantined > 0 ? `, ${run.quarantined} quarantined` : "";
  const vanished = run.vanished > 0 ? `, ${run.vanished} vanished at the service` : "";
  world.stderr.write(
    `${run.fetched} events in ${run.windows} windows: ${run.inserted} new, ${run.duplicate} known already${quarantined}${vanished}; ${run.requests} requests, ${run.retries} retries, ${seconds} s\n`,
  );
  world.stderr.write(
    finalMs === undefined
      ? "final up to: nothing is sealed yet; a window is sealed when two reads after it closed agree\n"
      : `final up to ${iso(finalMs)}\n`,
  );
}

// Windows that failed for the same reason share a line.
function failureLines(failures: readonly WindowFailure[]): string[] {
  return [...Map.groupBy(failures, (failure) => failure.message)].map(([message, all]) => {
    const [first, last] = [all[0]!, all.at(-1)!].map(({ window }) => iso(window.startMs));
    return all.length === 1
      ? `window ${first}: ${message}`
      : `${all.length} windows, ${first} to ${last}: ${message}`;
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
