import { basename } from "node:path";
import { readFilePages } from "../files/pages.ts";
import { printable } from "../printable.ts";
import type { PageBody } from "../records/format.ts";
import type { NamedSource, Settings } from "../home/settings.ts";
import { toolVersion } from "../home/version.ts";
import type { Pack } from "../landing/pack.ts";
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
import { manifestAgain, newLanding } from "./land-file.ts";
import { readsThatBegin } from "./landed-before.ts";

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
  let megabytes = 0;
  const onRead = (bytes: number): void => {
    // What is read a second time is no step back.
    megabytes = Math.max(megabytes, Math.round(bytes / 1e6));
    onProgress(megabytes, printable(basename(file)));
  };
  const pagesOf = (): AsyncGenerator<PageBody> =>
    readFilePages(file, onRead, source.audits.records_at);
  const { first, all } = await begun(pagesOf());
  const { landing } = settings.home;
  const { connection } = writer.database;
  const earlier = first ? await readsThatBegin(first, read, landing, connection) : [];
  if (earlier.length === 0) return loadPages(all, read, importing);
  const to = { home: settings.home, maxRecordBytes: source.limits.max_record_bytes };
  const manifest = await manifestAgain({ all, pagesOf, earlier }, file, read, to);
  const how = { counts: { requests: 0, retries: 0 }, finishedAt: () => toTimestamp(world.now()) };
  return (await loadManifest(manifest, runOf(read, writer), settings.home, writer, how)).run;
}

async function begun(
  pages: AsyncGenerator<PageBody>,
): Promise<{ first: PageBody | undefined; all: AsyncGenerator<PageBody> }> {
  const { value, done } = await pages.next();
  const first = done === true ? undefined : (value as PageBody);
  return { first, all: joined(first, pages) };
}

async function* joined(
  first: PageBody | undefined,
  rest: AsyncGenerator<PageBody>,
): AsyncGenerator<PageBody> {
  if (first !== undefined) yield first;
  yield* rest;
}

async function loadPages(
  pages: AsyncIterable<PageBody>,
  read: ReadFacts,
  { settings: { home }, source, writer, world }: Importing,
): Promise<RunRow> {
  const maxRecordBytes = source.limits.max_record_bytes;
  const landing = newLanding({ home, maxRecordBytes }, read);
  await using pack = landing.pack;
  let run = runOf(read, writer);
  const context = { home, ...writer, maxRecordBytes };
  const insert = (staging: string): Promise<Inserted> =>
    insertPages(context, read, landPages(pages, pack), null, staging);
  await loadRead(context, read, insert, landing.describe, ({ result }) => {
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
  pages: AsyncIterable<PageBody>,
  { add }: Pack,
): AsyncGenerator<PageBytes> {
  for await (const { bytes, format } of pages) yield { page: await add(bytes, format), bytes };
}
