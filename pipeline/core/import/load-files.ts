import { escapeControls } from "../../base/printable.ts";
import { type Print } from "../../base/notice/printer.ts";
import { notify, warning, fault, type Notice } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { readToolVersion } from "../../base/home/version.ts";
import { newAheadLoader } from "../load/loader.ts";
import { loadManifest } from "../load/read.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { newRun, newRunId, type RunRow } from "../store/ledger/record.ts";
import { count, queryRows } from "../../base/sql/typed-rows.ts";
import type { PageCounts, ReadFacts } from "../store/loading/read-facts.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";
import { newJournal } from "../landing/journal.ts";
import { newStagedAhead } from "../load/ahead.ts";
import type { LandedFile, Landing } from "./land-file.ts";
import type { FileForm } from "./pages.ts";
import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import { storeLandedUsers, takeUsers } from "../load/take-users.ts";
import { parseExactly } from "../records/text.ts";
import {
  type UserList,
  describeUserListForm,
  buildUserList,
  parseUserPage,
} from "../records/user-list.ts";
import { readDirectoryNotes, endedNotice } from "../completeness/directory.ts";
import { listEndedUsers, listLastUserReads } from "../store/user-readings.ts";
import { countText, formatCount } from "../../base/terminal/amounts.ts";

/** Whose log the files are of, and where it goes. */
export type ImportContext = {
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
  { journal, read, ahead }: Pick<Landing, "journal" | "read" | "ahead">,
  { settings: { home }, source, writer, world }: ImportContext,
): Promise<{ counts: FileCounts[]; unlike: number }> {
  const manifest = buildManifest(read, files, source);
  await writeManifest(home.landing, manifest);
  journal.end();
  const how = {
    counts: { requests: 0, retries: 0 },
    finishedAt: () => toTimestamp(world.now()),
    loader: newAheadLoader(home, writer, ahead),
  };
  const { loaded } = await loadManifest(manifest, toRunRow(read, writer), home, writer, how);
  const nameless = await countNamelessByPage(writer.database.connection, read.readId);
  const { pages, unlike } = loaded.result;
  return { counts: countFiles(files, pages, nameless), unlike };
}

/** Begins the read that the files of one call are. */
export function newLanding(
  form: FileForm,
  { settings: { home }, source, writer, world }: ImportContext,
): Landing {
  const { audits, limits } = source;
  const read = newFileRead(source, world);
  const shape = { recordsAt: null, idAt: audits.id_at };
  const own = { shape, maxRecordBytes: limits.max_record_bytes };
  return {
    landing: home.landing,
    journal: newJournal(home.landing, read.readId),
    ahead: newStagedAhead(home, own, writer.fields.identity),
    read,
    connection: writer.database.connection,
    idAt: audits.id_at,
    form: { recordsAt: audits.records_at, ...form },
  };
}

function newFileRead(source: NamedSource, world: World): ReadFacts {
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

function buildManifest(
  read: ReadFacts,
  files: readonly LandedFile[],
  source: NamedSource,
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
    ...(source.audits.id_at === null ? {} : { id_at: source.audits.id_at }),
    max_record_bytes: source.limits.max_record_bytes,
    pages:
      files.length === 1
        ? [...files[0]!.pages]
        : files.flatMap(({ pages }, part) => pages.map((page) => ({ ...page, part }))),
    files: files.map(({ sha256, bytes }) => ({ sha256, bytes })),
  };
}

function toRunRow({ runId, source, seenAt }: ReadFacts, { catalogVersion }: Writer): RunRow {
  const run = newRun({
    runId,
    source,
    command: "import",
    startedAt: seenAt,
    rangeStart: null,
    rangeEnd: null,
    catalogVersion,
    toolVersion: readToolVersion(),
  });
  return { ...run, outcome: "done" };
}

async function countNamelessByPage(
  connection: DuckDBConnection,
  readId: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await queryRows(
    connection,
    "queries/load/rows.sql#nameless",
    { page: count, nameless: count },
    { read_id: readId },
  );
  return new Map(rows.map((row) => [row.page, row.nameless]));
}

function countFiles(
  files: readonly LandedFile[],
  pages: readonly PageCounts[],
  nameless: ReadonlyMap<number, number>,
): FileCounts[] {
  let next = 0;
  return files.map(({ file, pages: { length } }) => {
    const own = pages.slice(next, (next += length));
    const sumPages = (of: (page: PageCounts) => number): number =>
      own.reduce((n, p) => n + of(p), 0);
    return {
      file,
      fetched: sumPages((p) => p.fetched),
      inserted: sumPages((p) => p.inserted),
      duplicate: sumPages((p) => p.duplicate),
      quarantined: sumPages((p) => p.quarantined),
      nameless: sumPages((p) => nameless.get(p.page) ?? 0),
    };
  });
}

/**
 * Stores the user directory of a file; returns whether anything of it was accepted, and prints the outcome. Throws
 * UsageError if the file is no user list.
 */
export async function importUsers(
  file: string,
  { settings: { home }, source: { name, users }, writer, world }: ImportContext,
): Promise<boolean> {
  const list = readUsers(file, users);
  const { connection } = writer.database;
  await storeLandedUsers(home.landing, connection);
  const before = (await listLastUserReads(connection)).get(name);
  await takeUsers(home.landing, connection, name, list, world.now());
  const ended = before === undefined ? undefined : await listEndedUsers(connection, name, before);
  if (ended !== undefined) notify(world, endedNotice(name, ended));
  const { refused, missing } = await readDirectoryNotes(connection, name);
  const notes = refused === undefined ? missing : [refused, ...missing];
  for (const note of notes) notify(world, note);
  return refused === undefined;
}

// A file is one page, with any paging of the service.
function readUsers(file: string, { records_at, ignore_signs }: NamedSource["users"]): UserList {
  const page = parseUserPage(parseJson(readGiven(file, "the user list")), records_at);
  if (page === undefined)
    throw new UsageError(`${file} is not a user list; ${describeUserListForm(records_at)}`);
  return buildUserList([{ ...page, isFollowed: false, hasLink: false }], ignore_signs);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseExactly(bytes);
  } catch {
    return undefined;
  }
}

/** Prints the counts of each file, one per line; in a quiet run only faults. */
export function printCounts(
  counts: readonly FileCounts[],
  ms: number,
  isQuiet: boolean,
  print: Print,
): void {
  const duration = formatDuration(counts, ms);
  const [only, ...others] = counts;
  if (!isQuiet)
    if (only !== undefined && others.length === 0) print(`${formatCounts(only)}, ${duration}`);
    else {
      for (const one of counts) print(formatCounts(one));
      print(`${formatCount(counts.length, "file")} ${duration}`);
    }
  for (const one of counts) for (const note of listNotes(one, isQuiet)) print(note);
}

/** Whether a file has records and none of them could be read. */
export function isUnusable({ fetched, quarantined }: FileCounts): boolean {
  return fetched > 0 && quarantined === fetched;
}

function listNotes(counts: FileCounts, isQuiet: boolean): Notice[] {
  const { fetched, quarantined, nameless } = counts;
  const file = escapeControls(counts.file);
  const why = ["sql", "select reason, record_text from quarantine"];
  const notes: Notice[] = [];
  if (isUnusable(counts)) notes.push(fault("file_unusable", { file, records: fetched }, why));
  else if (quarantined > 0 && isQuiet)
    notes.push(warning("file_quarantined", { file, records: quarantined }, ["status"]));
  if (nameless > 0) notes.push(warning("events_nameless", { file, records: nameless }));
  return notes;
}

function formatCounts({ file, fetched, inserted, duplicate, quarantined }: FileCounts): string {
  const kept =
    quarantined > 0 ? `, ${quarantined} quarantined (see ${formatCommand("status")})` : "";
  return `${file}: ${formatCount(fetched, "record")}, ${countText(inserted)} new, ${formatCount(duplicate, "duplicate")}${kept}`;
}

function formatDuration(counts: readonly FileCounts[], ms: number): string {
  const records = counts.reduce((sum, { fetched }) => sum + fetched, 0);
  const rate = Math.round(records / Math.max(ms / 1000, 0.001));
  return `in ${(ms / 1000).toFixed(1)} s (${countText(rate)} per second)`;
}
