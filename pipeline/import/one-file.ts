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
import { addRead, newRun, newRunId } from "../store/ledger/totals.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import type { OnProgress } from "../terminal/progress.ts";
import type { World } from "../world.ts";
import type { Writer } from "../writer/open.ts";
import { pagesLandedBefore } from "./landed-before.ts";

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
  importing: Importing,
  onProgress: OnProgress,
): Promise<RunRow> {
  const { settings, source, writer, world } = importing;
  const startMs = world.now();
  const read = readOf(newRunId(startMs, world.random), source, startMs);
  const onRead = (bytes: number): void => onProgress(Math.round(bytes / 1e6), basename(file));
  const { landing } = settings.home;
  const where = { landing, ...writer.database, recordsAt: source.audits.records_at };
  const before = await pagesLandedBefore(file, read, where, onRead);
  return before === undefined
    ? loadPages(file, read, importing, onRead)
    : loadAgain(before, read, importing);
}

// What was landed before needs no more than a manifest of its own, by which it is looked up.
async function loadAgain(
  pages: readonly LandedPage[],
  read: ReadFacts,
  { settings: { home }, source, writer, world }: Importing,
): Promise<RunRow> {
  const manifest = manifestOf(read, pages, source.limits.max_record_bytes);
  await writeManifest(home.landing, manifest);
  const counts = { requests: 0, retries: 0 };
  const finishedAt = (): string => toTimestamp(world.now());
  const how = { counts, finishedAt };
  return (await loadManifest(manifest, runOf(read, writer), home, writer, how)).run;
}

async function loadPages(
  file: string,
  read: ReadFacts,
  { settings: { home }, source, writer, world }: Importing,
  onRead: (bytes: number) => void,
): Promise<RunRow> {
  const maxRecordBytes = source.limits.max_record_bytes;
  const journal = newJournal(home.landing, read.readId);
  await using pack = newPack(home.landing, journal);
  const pages = landPages(file, pack, source.audits.records_at, onRead);
  const describe = async (): Promise<Manifest> => {
    const manifest = manifestOf(read, await pack.end(), maxRecordBytes);
    await writeManifest(home.landing, manifest);
    journal.end();
    return manifest;
  };
  let run = runOf(read, writer);
  const context = { home, ...writer, maxRecordBytes };
  const insert = (staging: string): Promise<Inserted> =>
    insertPages(context, read, pages, null, staging);
  await loadRead(context, read, insert, describe, ({ result }) => {
    run = { ...addRead(run, read, result), finishedAt: toTimestamp(world.now()) };
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
  onRead: (bytes: number) => void,
): AsyncGenerator<PageBytes> {
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
