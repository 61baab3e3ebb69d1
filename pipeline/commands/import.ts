import type { Command } from "commander";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { AuditlakeError, UsageError, exitCode, messageOf } from "../errors.ts";
import { readFilePages } from "../files/pages.ts";
import { newJournal } from "../landing/journal.ts";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import { newPack, type Pack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import { parseExactly } from "../records/text.ts";
import { userListForm, userListOf, userPageOf, type UserList } from "../records/user-list.ts";
import { insertPages, type Inserted, type PageBytes } from "../load/batch.ts";
import { sayOnInterrupt } from "../terminal/interrupt.ts";
import { loadManifest } from "../load/landed.ts";
import { loadRead } from "../load/read.ts";
import { newProgress, type Progress } from "../terminal/progress.ts";
import { addRead, newRun, newRunId } from "../store/ledger/totals.ts";
import { toTimestamp } from "../moments/text.ts";
import { storeLandedUsers, takeUsers } from "../load/user-list.ts";
import { teller, type Writer } from "../writer/open.ts";
import { withWriter } from "../session/write.ts";
import { chooseSource, settle, type NamedSource, type Settings } from "../home/settings.ts";
import { toolVersion } from "../home/version.ts";
import type { ReadFacts } from "../store/loading/read.ts";
import { beginsAgain } from "../store/ledger/same-read.ts";
import type { RunRow } from "../store/ledger/record.ts";
import type { World } from "../world.ts";
import { plural } from "../terminal/amounts.ts";
import { directoryNotes } from "../status/directory.ts";

/** Registers `import FILE…`. */
export function importFiles(program: Command, world: World): void {
  program
    .command("import")
    .description("load files of records: JSON, newline-delimited JSON or CSV, plain, gzip or zstd")
    .argument("<file...>", "files to load")
    .option(
      "--users <file>",
      "load the user directory from a file too, as /v3/user/list/ answers it",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake import audits.ndjson\n  auditlake import --source prod 2026-*.json.gz",
    )
    .action(async (files: string[], { users }: { users?: string }, command: Command) => {
      const settings = settle(command, world);
      for (const file of users === undefined ? files : [...files, users])
        if (!existsSync(file))
          throw new UsageError(`no such file: ${file}; expected files of records to import`);
      await runImport(files, users, settings, chooseSource(settings, world), world);
    });
}

async function runImport(
  files: readonly string[],
  users: string | undefined,
  settings: Settings,
  source: NamedSource,
  world: World,
): Promise<void> {
  const failures: string[] = [];
  let areUsersTaken = true;
  let left: readonly string[] = [];
  using _said = sayOnInterrupt(
    world,
    "interrupted: the file that is being loaded is finished first; once more ends at once",
  );
  await withWriter(settings, world, "import", async (writer) => {
    if (users !== undefined)
      areUsersTaken = await importUsers(users, settings, source, writer, world);
    for (const [i, file] of files.entries()) {
      if (world.signal.aborted) left = files.slice(i);
      if (left.length > 0) break;
      try {
        await importFile(file, settings, source, writer, world);
      } catch (error) {
        if (!(error instanceof AuditlakeError)) throw error;
        failures.push(file);
        world.stderr.write(`error: ${file}: ${messageOf(error)}\n`);
      }
    }
  });
  if (left.length > 0)
    throw new AuditlakeError(
      `interrupted: ${files.length - left.length} of ${plural(files.length, "file")} done; go on with auditlake import ${left.join(" ")}`,
      exitCode.interrupted,
    );
  if (failures.length > 0)
    process.exitCode = failures.length < files.length ? exitCode.partial : exitCode.failed;
  else if (!areUsersTaken) process.exitCode = exitCode.partial;
}

async function importFile(
  file: string,
  settings: Settings,
  source: NamedSource,
  writer: Writer,
  world: World,
): Promise<void> {
  const { progress: kind, quiet = false } = settings.flags;
  const startMs = world.now();
  const megabytes = Math.ceil(statSync(file).size / 1e6);
  const progress = newProgress(kind, quiet, megabytes, "MB", world);
  let run: RunRow;
  try {
    run = await loadFile(file, settings, source, writer, progress, world);
  } finally {
    progress.end();
  }
  if (!quiet) world.stderr.write(`${summary(file, run, world.now() - startMs)}\n`);
  else if (run.quarantined > 0)
    world.stderr.write(
      `warning: ${file}: ${plural(run.quarantined, "record")} could not be read and went to the quarantine; see auditlake status\n`,
    );
}

async function loadFile(
  file: string,
  settings: Settings,
  source: NamedSource,
  writer: Writer,
  progress: Progress,
  world: World,
): Promise<RunRow> {
  const { home } = settings;
  const startMs = world.now();
  const runId = newRunId(startMs, world.random);
  const read = readOf(runId, source, startMs);
  const maxRecordBytes = source.limits.max_record_bytes;
  const journal = newJournal(home.landing, read.readId);
  await using pack = newPack(home.landing, journal);
  const pages = landPages(file, pack, source.audits.records_at, progress);
  const describe = async (): Promise<Manifest> => {
    const manifest = await land(settings, read, await pack.end(), maxRecordBytes, startMs);
    journal.end();
    return manifest;
  };
  const finishedAt = (): string => toTimestamp(world.now());
  let run = runOf(read, writer, startMs);
  const { first, all } = await begun(pages);
  if (await isKnown(first, read, writer)) {
    for await (const _page of all);
    const manifest = await describe();
    const counts = { requests: 0, retries: 0 };
    return (await loadManifest(manifest, run, home, writer, { counts, finishedAt })).run;
  }
  const context = { home, ...writer, maxRecordBytes };
  const insert = (staging: string): Promise<Inserted> =>
    insertPages(context, read, all, null, staging);
  await loadRead(context, read, insert, describe, ({ result }) => {
    run = { ...addRead(run, read, result), finishedAt: finishedAt() };
    return run;
  });
  return run;
}

function runOf({ runId, source }: ReadFacts, { catalogVersion }: Writer, startMs: number): RunRow {
  const run = newRun({
    runId,
    source,
    command: "import",
    startedAt: toTimestamp(startMs),
    rangeStart: null,
    rangeEnd: null,
    catalogVersion,
    toolVersion: toolVersion(),
  });
  return { ...run, outcome: "done" };
}

// A file that begins as one before is landed first: it may be the same, and then nothing has to be loaded.
async function isKnown(
  first: PageBytes | undefined,
  read: ReadFacts,
  { database: { connection } }: Writer,
): Promise<boolean> {
  if (first === undefined) return false;
  return beginsAgain(connection, read, first.page.sha256);
}

async function begun(
  pages: AsyncGenerator<PageBytes>,
): Promise<{ first: PageBytes | undefined; all: AsyncGenerator<PageBytes> }> {
  const { value, done } = await pages.next();
  const first = done === true ? undefined : (value as PageBytes);
  return { first, all: joined(first, pages) };
}

async function* joined(
  first: PageBytes | undefined,
  rest: AsyncGenerator<PageBytes>,
): AsyncGenerator<PageBytes> {
  if (first !== undefined) yield first;
  yield* rest;
}

/** Whether anything of the list was taken; what is to be said of it is said. */
async function importUsers(
  file: string,
  { home }: Settings,
  { name, users: settings }: NamedSource,
  { database: { connection } }: Writer,
  world: World,
): Promise<boolean> {
  const list = readUsers(file, settings);
  await storeLandedUsers(home.landing, connection);
  await takeUsers(home.landing, connection, name, list, world.now());
  const { refused, missing } = await directoryNotes(connection, name);
  const notes = refused === undefined ? missing : [refused, ...missing];
  for (const note of notes) teller(world)(`warning: ${file}: ${note}`);
  return refused === undefined;
}

// A file is one page, whatever the service's paging is.
function readUsers(file: string, { records_at, ignore_signs }: NamedSource["users"]): UserList {
  const page = userPageOf(parsed(file), records_at);
  if (page === undefined)
    throw new UsageError(`${file} is no user list; ${userListForm(records_at)}`);
  return userListOf([{ ...page, isFollowed: false, hasLink: false }], ignore_signs);
}

function parsed(file: string): unknown {
  try {
    return parseExactly(readFileSync(file));
  } catch {
    return undefined;
  }
}

function readOf(runId: string, source: NamedSource, nowMs: number): ReadFacts {
  return {
    readId: `${runId}-file`,
    runId,
    source: source.name,
    windowStart: null,
    windowEnd: null,
    windowMs: source.window,
    seenAt: toTimestamp(nowMs),
    parts: [],
  };
}

async function* landPages(
  file: string,
  { add }: Pack,
  recordsAt: string | null,
  progress: Progress,
): AsyncGenerator<PageBytes> {
  const onRead = (bytes: number): void => progress.update(Math.round(bytes / 1e6), basename(file));
  for await (const { bytes, format } of readFilePages(file, onRead, recordsAt))
    yield { page: await add(bytes, format), bytes };
}

async function land(
  settings: Settings,
  read: ReadFacts,
  pages: readonly LandedPage[],
  maxRecordBytes: number,
  nowMs: number,
): Promise<Manifest> {
  const manifest: Manifest = {
    version: manifestVersion,
    read_id: read.readId,
    run_id: read.runId,
    command: "import",
    source: read.source,
    window_start: null,
    window_end: null,
    window_ms: read.windowMs,
    read_at: toTimestamp(nowMs),
    server_time: null,
    closed: false,
    nightly: false,
    records_at: null,
    max_record_bytes: maxRecordBytes,
    pages: [...pages],
  };
  await writeManifest(settings.home.landing, manifest);
  return manifest;
}

function summary(file: string, run: RunRow, ms: number): string {
  const rate = Math.round(run.fetched / Math.max(ms / 1000, 0.001));
  const kept = run.quarantined > 0 ? `, ${run.quarantined} quarantined (see auditlake status)` : "";
  return `${file}: ${run.fetched} records, ${run.inserted} new, ${run.duplicate} known already${kept}, in ${(ms / 1000).toFixed(1)} s (${rate} per second)`;
}
