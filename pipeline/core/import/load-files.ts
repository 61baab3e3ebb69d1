import { printable } from "../../base/printable.ts";
import { type Print } from "../../base/notice/printer.ts";
import { notify, warning, fault, type Notice } from "../../base/notice/notice.ts";
import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { toolVersion } from "../../base/home/version.ts";
import { loadManifest } from "../load/read.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { newRun, newRunId, type RunRow } from "../store/ledger/record.ts";
import { count, queryRows } from "../../base/sql/typed-rows.ts";
import type { PageCounts, ReadFacts } from "../store/loading/read-facts.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";
import type { LandedFile, Landing } from "./land-file.ts";
import { UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import { storeLandedUsers, takeUsers } from "../load/landed-users.ts";
import { parseExactly } from "../records/text.ts";
import { type UserList, userListForm, userListOf, userPageOf } from "../records/user-list.ts";
import { directoryNotes, endedNotice } from "../completeness/directory.ts";
import { endedUsers, lastUserReadings } from "../store/user-readings.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";

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

/**
 * Stores the user directory of a file; returns whether anything of it was accepted, and prints the outcome. Throws
 * UsageError if the file is no user list.
 */
export async function importUsers(
  file: string,
  { settings: { home }, source: { name, users }, writer, world }: Importing,
): Promise<boolean> {
  const list = readUsers(file, users);
  const { connection } = writer.database;
  await storeLandedUsers(home.landing, connection);
  const before = (await lastUserReadings(connection)).get(name);
  await takeUsers(home.landing, connection, name, list, world.now());
  const ended = before === undefined ? undefined : await endedUsers(connection, name, before);
  if (ended !== undefined) notify(world, endedNotice(name, ended));
  const { refused, missing } = await directoryNotes(connection, name);
  const notes = refused === undefined ? missing : [refused, ...missing];
  for (const note of notes) notify(world, note);
  return refused === undefined;
}

// A file is one page, with any paging of the service.
function readUsers(file: string, { records_at, ignore_signs }: NamedSource["users"]): UserList {
  const page = userPageOf(parsed(readGiven(file, "the user list")), records_at);
  if (page === undefined)
    throw new UsageError(`${file} is no user list; ${userListForm(records_at)}`);
  return userListOf([{ ...page, isFollowed: false, hasLink: false }], ignore_signs);
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseExactly(bytes);
  } catch {
    return undefined;
  }
}

/** Prints the counts of each file, a line each; in a quiet run only what is wrong with them. */
export function printCounts(
  counts: readonly FileCounts[],
  ms: number,
  isQuiet: boolean,
  print: Print,
): void {
  const duration = durationText(counts, ms);
  const [only, ...others] = counts;
  if (!isQuiet)
    if (only !== undefined && others.length === 0) print(`${countsText(only)}, ${duration}`);
    else {
      for (const one of counts) print(countsText(one));
      print(`${plural(counts.length, "file")} ${duration}`);
    }
  for (const one of counts) for (const note of notesOn(one, isQuiet)) print(note);
}

/** Whether a file has records and none of them could be read. */
export function isUnusable({ fetched, quarantined }: FileCounts): boolean {
  return fetched > 0 && quarantined === fetched;
}

function notesOn(counts: FileCounts, isQuiet: boolean): Notice[] {
  const { fetched, quarantined, nameless } = counts;
  const file = printable(counts.file);
  const why = ["sql", "select reason, record_text from quarantine"];
  const notes: Notice[] = [];
  if (isUnusable(counts)) notes.push(fault("file_unusable", { file, records: fetched }, why));
  else if (quarantined > 0 && isQuiet)
    notes.push(warning("file_quarantined", { file, records: quarantined }, ["status"]));
  if (nameless > 0) notes.push(warning("events_nameless", { file, records: nameless }));
  return notes;
}

function countsText({ file, fetched, inserted, duplicate, quarantined }: FileCounts): string {
  const kept = quarantined > 0 ? `, ${quarantined} quarantined (see ${commandText("status")})` : "";
  return `${file}: ${plural(fetched, "record")}, ${countText(inserted)} new, ${plural(duplicate, "duplicate")}${kept}`;
}

function durationText(counts: readonly FileCounts[], ms: number): string {
  const records = counts.reduce((sum, { fetched }) => sum + fetched, 0);
  const rate = Math.round(records / Math.max(ms / 1000, 0.001));
  return `in ${(ms / 1000).toFixed(1)} s (${countText(rate)} per second)`;
}
