import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { AuditlakeError } from "../../../base/errors.ts";
import { useThreads } from "../../../base/sql/instance.ts";
import { runFile, runFiles, type Values } from "../../../base/sql/statements.ts";
import {
  count,
  nullable,
  queryRows,
  text,
  truth,
  type TypedRow,
} from "../../../base/sql/typed-rows.ts";
import { foldingFiles, type RefreshResult } from "../derived.ts";
import {
  type InsertResult,
  listParts,
  type PageCounts,
  type PageTallies,
  type ReadContent,
  type ReadFacts,
  type ReadResult,
  type StagedPage,
} from "./read-facts.ts";

/** Prepares a connection for loading: macros and lookup tables that live as long as it does. */
export async function prepareLoad(connection: DuckDBConnection): Promise<void> {
  await useThreads(connection, "one");
  await runFiles(connection, [
    "queries/load/macros.sql",
    "queries/load/matched.sql",
    "queries/load/rows.sql#tables",
    ...foldingFiles,
  ]);
}

/** How many records of each page are event rows now. */
export async function countAcceptedByPage(
  connection: DuckDBConnection,
  readId: string,
): Promise<Map<number, number>> {
  const shape = { page: count, accepted: count };
  const values = { read_id: readId };
  const rows = await queryRows(connection, "queries/load/rows.sql#page_counts", shape, values);
  return new Map(rows.map(({ page, accepted }) => [page, accepted]));
}

/**
 * Removes what the store contains already, fills the quarantine and counts; run in the read's transaction. `judge`
 * compares the content of the read with previous reads; what only a repeating read can show is left out otherwise.
 */
export async function finishRead<V extends { readonly repeats: boolean }>(
  connection: DuckDBConnection,
  read: ReadFacts,
  { staged: pages, accepted: rows, rejected }: InsertResult,
  judge: (shown: ReadContent) => Promise<V>,
): Promise<{ readonly result: ReadResult; readonly brought: RefreshResult; readonly verdict: V }> {
  const found = await readOwn(connection, read);
  const hasRepeated = found.repeated > 0;
  const repeated = hasRepeated ? await numberRepeated(connection, read) : noneRepeated;
  const own = hasRepeated ? await readOwn(connection, read) : found;
  const hasOthers = await findOthers(connection, read, own);
  const absent = hasOthers ? await readAbsent(connection, read, own) : nothingAbsent;
  const accepted = new Map(rows);
  await dropOverlapping(connection, read, { accepted, rejected });
  const quarantined = pages.reduce((n, { page }) => n + (rejected.get(page) ?? 0), 0);
  const { digest, outside, firstEventTime, lastEventTime } = own;
  const { vanished: missing, unshown, isForgotten } = absent;
  const { isSentAgain } = repeated;
  const fetched = pages.reduce((n, page) => n + page.fetched, 0);
  const shown = {
    digest,
    fetched,
    quarantined,
    isForgotten,
    isIncomplete: absent.missing > 0,
    isSentAgain,
  };
  const verdict = await judge(shown);
  const unsure = repeated.isScattered
    ? await withholdAmbiguous(connection, read, verdict.repeats)
    : { ambiguous: 0, withheld: 0 };
  const mayBeKnown = hasOthers && own.records > 0;
  const unlike = mayBeKnown ? await countUnlike(connection, read, hasRepeated) : 0;
  const known = mayBeKnown
    ? await runFile(connection, "queries/load/rows.sql#drop_known", {
        read_id: read.readId,
        source: read.source,
        first_event_time: own.firstEventTime,
        last_event_time: own.lastEventTime,
      })
    : 0;
  if (rejected.size > 0) await keepRejects(connection, read);
  const isWhole = !hasRepeated && known === 0;
  const stored = isWhole ? rows : await countAcceptedByPage(connection, read.readId);
  const counts = pages.map((p) => countPage(p, accepted, stored, rejected));
  const sumCounts = (of: (c: PageCounts) => number): number =>
    counts.reduce((n, c) => n + of(c), 0);
  const inserted = sumCounts((c) => c.inserted);
  const duplicate = sumCounts((c) => c.duplicate);
  const totals = { pages: counts, fetched, inserted, duplicate, quarantined };
  const result = { ...totals, missing, unshown, outside, ...unsure, unlike, digest };
  return { result, brought: { inserted, firstEventTime, lastEventTime }, verdict };
}

async function countUnlike(
  connection: DuckDBConnection,
  { readId, source }: ReadFacts,
  hasRepeated: boolean,
): Promise<number> {
  const values = { read_id: readId, source, has_repeated: hasRepeated };
  const [row] = await queryRows(connection, "queries/load/unlike.sql", { unlike: count }, values);
  return row!.unlike;
}

function countPage(
  { page, sha256, bytes, fetched }: StagedPage,
  accepted: ReadonlyMap<number, number>,
  inserted: ReadonlyMap<number, number>,
  rejected: ReadonlyMap<number, number>,
): PageCounts {
  const kept = inserted.get(page) ?? 0;
  const duplicate = (accepted.get(page) ?? 0) - kept;
  const quarantined = rejected.get(page) ?? 0;
  if (kept + duplicate + quarantined !== fetched)
    throw new AuditlakeError(
      `page ${page} (${sha256.slice(0, 12)}) has ${fetched} records, but ${kept} were new, ${duplicate} known and ${quarantined} quarantined; nothing of its window was stored; please report this`,
    );
  return { page, sha256, bytes, fetched, inserted: kept, duplicate, quarantined };
}

// Drops the rejects that a part of a read shows again which overlaps another. They count on their page among the
// accepted ones, and so as duplicates.
async function dropOverlapping(
  connection: DuckDBConnection,
  read: ReadFacts,
  { accepted, rejected }: PageTallies,
): Promise<void> {
  if (rejected.size === 0 || new Set(read.parts).size < 2) return;
  const values = { parts: listValue(listParts(read)) };
  const path = "queries/load/quarantined.sql#drop_overlapping";
  for (const { page } of await queryRows(connection, path, { page: count }, values)) {
    rejected.set(page, rejected.get(page)! - 1);
    accepted.set(page, (accepted.get(page) ?? 0) + 1);
  }
}

async function keepRejects(connection: DuckDBConnection, read: ReadFacts): Promise<void> {
  await runFile(connection, "queries/load/quarantined.sql#keep", {
    source: read.source,
    run_id: read.runId,
    seen_at: read.seenAt,
  });
}

// What a read holds, and how that compares with what other reads brought.

const ownShape = {
  records: count,
  repeated: count,
  outside: count,
  digest: text,
  firstInside: nullable(text),
  firstEventTime: nullable(text),
  lastEventTime: nullable(text),
};

type OwnFacts = TypedRow<typeof ownShape>;

const facts = "queries/load/read_facts.sql";

/** Reads what a read holds, before rows that were known are taken out. */
async function readOwn(connection: DuckDBConnection, read: ReadFacts): Promise<OwnFacts> {
  const [row] = await queryRows(connection, `${facts}#own`, ownShape, toValues(read));
  return row!;
}

/** Whether other reads brought anything that a read could repeat or miss. */
async function findOthers(
  connection: DuckDBConnection,
  read: ReadFacts,
  { firstEventTime, lastEventTime }: OwnFacts,
): Promise<boolean> {
  const times = { first_event_time: firstEventTime, last_event_time: lastEventTime };
  const values = { ...toValues(read), ...times };
  const [row] = await queryRows(connection, `${facts}#others`, { hasOthers: truth }, values);
  return row!.hasOthers;
}

const absentShape = { vanished: count, missing: count, unshown: text, isForgotten: truth };
/** Result for a store without other events. */
const nothingAbsent = { vanished: 0, missing: 0, unshown: "[]", isForgotten: false };

/** Counts stored events of the window that a read does not show. */
async function readAbsent(
  connection: DuckDBConnection,
  read: ReadFacts,
  { firstInside }: OwnFacts,
): Promise<TypedRow<typeof absentShape>> {
  // A file has no window that something could be missing from.
  if (read.windowStart === null) return nothingAbsent;
  const values = { ...toValues(read), first_inside: firstInside };
  const [row] = await queryRows(connection, `${facts}#absent`, absentShape, values);
  return row!;
}

function toValues({ readId, source, windowStart, windowEnd }: ReadFacts): Values {
  return { read_id: readId, source, window_start: windowStart, window_end: windowEnd };
}

// Equal records of one read.

type Repeated = {
  /** Whether equal records of one part are on different pages. */
  readonly isScattered: boolean;
  /** Whether a page of a service was repeated. */
  readonly isSentAgain: boolean;
};

/** What a read without equal records shows of them. */
const noneRepeated: Repeated = { isScattered: false, isSentAgain: false };

/** Numbers equal records, or merges them. */
async function numberRepeated(connection: DuckDBConnection, read: ReadFacts): Promise<Repeated> {
  const path = "queries/load/repeated.sql";
  const values = { read_id: read.readId, parts: listValue(listParts(read)) };
  const [rows] = await queryRows(connection, path, { isScattered: truth }, values);
  const { isScattered } = rows!;
  // A file contains every page once: none was sent in the place of another.
  const isFile = read.windowStart === null;
  const isSentAgain = !isFile && isScattered && (await findSentAgain(connection, values));
  await runFile(connection, "queries/load/number_repeated.sql", { ...values, is_file: isFile });
  return { isScattered, isSentAgain };
}

async function findSentAgain(connection: DuckDBConnection, values: Values): Promise<boolean> {
  const path = "queries/load/sent_again.sql";
  const [again] = await queryRows(connection, path, { isSentAgain: truth }, values);
  return again!.isSentAgain;
}

/**
 * Looks for equal records on different pages of a read: pages shift while they are read, so they may be one
 * event seen twice. Those without an id come in only with a read that repeats the one before it. A file does
 * not change while it is read, so its equal records are events of their own. Returns how many records inside the
 * window make the read ambiguous, and how many were left out.
 */
async function withholdAmbiguous(
  connection: DuckDBConnection,
  read: ReadFacts,
  repeats: boolean,
): Promise<Pick<ReadResult, "ambiguous" | "withheld">> {
  const shape = { ambiguous: count, withheld: count };
  const [row] = await queryRows(connection, "queries/load/ambiguous.sql", shape, {
    read_id: read.readId,
    window_start: read.windowStart,
    window_end: read.windowEnd,
    keep_inside: repeats || read.windowStart === null,
  });
  return row!;
}
