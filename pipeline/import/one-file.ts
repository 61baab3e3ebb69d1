import { basename } from "node:path";
import { readFilePages } from "../files/pages.ts";
import type { NamedSource, Settings } from "../home/settings.ts";
import { toolVersion } from "../home/version.ts";
import { newJournal } from "../landing/journal.ts";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import { newPack, type Pack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import { insertPages, type PageBytes } from "../load/batch.ts";
import type { Inserted } from "../store/loading/finish.ts";
import { loadManifest, loadRead } from "../load/read.ts";
import { toTimestamp } from "../moments/text.ts";
import type { RunRow } from "../store/ledger/record.ts";
import { beginsAgain } from "../store/ledger/same-read.ts";
import { addRead, newRun, newRunId } from "../store/ledger/totals.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import type { OnProgress } from "../terminal/progress.ts";
import type { World } from "../world.ts";
import type { Writer } from "../writer/open.ts";

/** Whose log the files are of, and where it goes. */
export type Importing = {
  readonly settings: Settings;
  readonly source: NamedSource;
  readonly writer: Writer;
  readonly world: World;
};

/** Lands the pages of a file and loads them as one read; returns the run that it was. Throws AuditlakeError. */
export async function importFile(
  file: string,
  { settings: { home }, source, writer, world }: Importing,
  onProgress: OnProgress,
): Promise<RunRow> {
  const startMs = world.now();
  const runId = newRunId(startMs, world.random);
  const read = readOf(runId, source, startMs);
  const maxRecordBytes = source.limits.max_record_bytes;
  const journal = newJournal(home.landing, read.readId);
  await using pack = newPack(home.landing, journal);
  const pages = landPages(file, pack, source.audits.records_at, onProgress);
  const describe = async (): Promise<Manifest> => {
    const manifest = manifestOf(read, await pack.end(), maxRecordBytes);
    await writeManifest(home.landing, manifest);
    journal.end();
    return manifest;
  };
  const finishedAt = (): string => toTimestamp(world.now());
  let run = runOf(read, writer);
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

function runOf({ runId, source, seenAt }: ReadFacts, { catalogVersion }: Writer): RunRow {
  const run = newRun({
    runId,
    source,
    command: "import",
    startedAt: seenAt,
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
  onProgress: OnProgress,
): AsyncGenerator<PageBytes> {
  const onRead = (bytes: number): void => onProgress(Math.round(bytes / 1e6), basename(file));
  for await (const { bytes, format } of readFilePages(file, onRead, recordsAt))
    yield { page: await add(bytes, format), bytes };
}

function manifestOf(
  read: ReadFacts,
  pages: readonly LandedPage[],
  maxRecordBytes: number,
): Manifest {
  return {
    version: manifestVersion,
    read_id: read.readId,
    run_id: read.runId,
    command: "import",
    source: read.source,
    window_start: null,
    window_end: null,
    window_ms: read.windowMs,
    read_at: read.seenAt,
    server_time: null,
    closed: false,
    nightly: false,
    records_at: null,
    max_record_bytes: maxRecordBytes,
    pages: [...pages],
  };
}
