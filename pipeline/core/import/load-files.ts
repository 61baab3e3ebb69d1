import type { DuckDBConnection } from "@duckdb/node-api";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { toolVersion } from "../../base/home/version.ts";
import { loadManifest } from "../load/read.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { RunRow } from "../store/ledger/record.ts";
import { newRun, newRunId } from "../store/ledger/totals.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { PageCounts, ReadFacts } from "../store/loading/read-facts.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";
import type { LandedFile, Landing } from "./land-file.ts";

/** Whose log the files are of, and where it goes. */
export type Importing = {
  readonly settings: Settings;
  readonly source: NamedSource;
  readonly writer: Writer;
  readonly world: World;
};

/** How many records a file had, and how many of them were new, known and unreadable. */
export type FileCounts = Pick<PageCounts, "fetched" | "inserted" | "duplicate" | "quarantined"> & {
  readonly file: string;
  /** How many of the new ones have no `event_name`. */
  readonly nameless: number;
};

/**
 * Loads files whose pages are stored, as one read: equal records of several files are one event, those of one key that
 * differ are several. Returns the counts of each file, and of records taken for known though their unknown fields differ.
 */
export async function loadFiles(
  files: readonly LandedFile[],
  { journal, read }: Pick<Landing, "journal" | "read">,
  { settings: { home }, source, writer, world }: Importing,
): Promise<{ counts: FileCounts[]; unlike: number }> {
  const manifest = manifestOf(read, files, source);
  await writeManifest(home.landing, manifest);
  journal.end();
  const how = { counts: { requests: 0, retries: 0 }, finishedAt: () => toTimestamp(world.now()) };
  const { loaded } = await loadManifest(manifest, runOf(read, writer), home, writer, how);
  const nameless = await namelessByPage(writer.database.connection, read.readId);
  const { pages, unlike } = loaded.result;
  return { counts: countFiles(files, pages, nameless), unlike };
}

/** The read that the files of one call are. */
export function newFileRead(source: NamedSource, world: World): ReadFacts {
  const nowMs = world.now();
  const runId = newRunId(nowMs, world.random);
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

function manifestOf(read: ReadFacts, files: readonly LandedFile[], source: NamedSource): Manifest {
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
    ...(source.audits.id_at === null ? {} : { id_at: source.audits.id_at }),
    max_record_bytes: source.limits.max_record_bytes,
    pages:
      files.length === 1
        ? [...files[0]!.pages]
        : files.flatMap(({ pages }, part) => pages.map((page) => ({ ...page, part }))),
    files: files.map(({ sha256, bytes }) => ({ sha256, bytes })),
  };
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

async function namelessByPage(
  connection: DuckDBConnection,
  readId: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await queryFile(connection, "queries/load/rows.sql#nameless", { read_id: readId });
  return new Map(rows.map((row) => [Number(row["page"]), Number(row["nameless"])]));
}

function countFiles(
  files: readonly LandedFile[],
  pages: readonly PageCounts[],
  nameless: ReadonlyMap<number, number>,
): FileCounts[] {
  let next = 0;
  return files.map(({ file, pages: { length } }) => {
    const own = pages.slice(next, (next += length));
    const sum = (of: (page: PageCounts) => number): number => own.reduce((n, p) => n + of(p), 0);
    return {
      file,
      fetched: sum((p) => p.fetched),
      inserted: sum((p) => p.inserted),
      duplicate: sum((p) => p.duplicate),
      quarantined: sum((p) => p.quarantined),
      nameless: sum((p) => nameless.get(p.page) ?? 0),
    };
  });
}
