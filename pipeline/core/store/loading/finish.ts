import {
  type PageCounts,
  partsOf,
  type ReadFacts,
  type ReadResult,
  type Shown,
  type StagedPage,
} from "./read-facts.ts";
import { listValue, type DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../../base/errors.ts";
import { type Brought, foldingFiles } from "../derived.ts";
import { withholdAmbiguous } from "./withhold-ambiguous.ts";
import { dropOverlapping, keepRejects, type RejectCounts } from "./rejects.ts";
import { useThreads } from "../../../base/sql/instance.ts";
import { queryFile, runFile, runFiles } from "../../../base/sql/statements.ts";

/** The pages of a read whose records are rows now, and the records that are none. */
export type Inserted = {
  readonly staged: readonly StagedPage[];
  /** How many records of each page became rows. */
  readonly accepted: ReadonlyMap<number, number>;
  /** How many records of each page are in the rejects. */
  readonly rejected: RejectCounts;
};

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
export async function acceptedByPage(
  connection: DuckDBConnection,
  readId: string,
): Promise<Map<number, number>> {
  const rows = await queryFile(connection, "queries/load/rows.sql#page_counts", {
    read_id: readId,
  });
  return new Map(rows.map((row) => [Number(row["page"]), Number(row["accepted"])]));
}

/**
 * Removes what the store holds already, fills the quarantine and counts; run in the read's transaction. `judge`
 * compares what the read held with the reads before it; what only a read that repeats one can show is left out else.
 */
export async function finishRead<V extends { readonly repeats: boolean }>(
  connection: DuckDBConnection,
  read: ReadFacts,
  { staged: pages, accepted: rows, rejected }: Inserted,
  judge: (shown: Shown) => Promise<V>,
): Promise<{ readonly result: ReadResult; readonly brought: Brought; readonly verdict: V }> {
  const found = await readFacts(connection, read);
  const hasRepeated = found.repeated > 0;
  const isSentAgain = hasRepeated && (await numberRepeated(connection, read));
  const facts = hasRepeated ? await readFacts(connection, read) : found;
  const accepted = new Map(rows);
  await dropOverlapping(connection, read, accepted, rejected);
  const quarantined = pages.reduce((n, { page }) => n + (rejected.get(page) ?? 0), 0);
  const { digest, isForgotten, isLacking } = facts;
  const fetched = pages.reduce((n, page) => n + page.fetched, 0);
  const verdict = await judge({
    digest,
    fetched,
    quarantined,
    isForgotten,
    isLacking,
    isSentAgain,
  });
  const unsure = hasRepeated
    ? await withholdAmbiguous(connection, read, verdict.repeats)
    : { ambiguous: 0, withheld: 0 };
  const unlike = facts.records === 0 ? 0 : await countUnlike(connection, read, hasRepeated);
  const known = facts.records === 0 ? 0 : await dropKnown(connection, read, facts);
  if (rejected.size > 0) await keepRejects(connection, read);
  const isWhole = !hasRepeated && known === 0;
  const inserted = isWhole ? rows : await acceptedByPage(connection, read.readId);
  const counts = pages.map((p) => countPage(p, accepted, inserted, rejected));
  const sum = (of: (c: PageCounts) => number): number => counts.reduce((n, c) => n + of(c), 0);
  const result = {
    pages: counts,
    fetched,
    inserted: sum((c) => c.inserted),
    duplicate: sum((c) => c.duplicate),
    quarantined,
    missing: facts.missing,
    unshown: facts.unshown,
    outside: facts.outside,
    ...unsure,
    unlike,
    digest,
  };
  const { firstEventTime, lastEventTime } = facts;
  return { result, brought: { inserted: result.inserted, firstEventTime, lastEventTime }, verdict };
}

// Tells equal records apart, or makes them one; returns whether a page of a service came twice.
async function numberRepeated(connection: DuckDBConnection, read: ReadFacts): Promise<boolean> {
  const values = {
    read_id: read.readId,
    parts: listValue(partsOf(read)),
  };
  await runFile(connection, "queries/load/repeated.sql", values);
  // A file holds what it holds: no other page was left out.
  const isFile = read.windowStart === null;
  const [again] = isFile ? [] : await queryFile(connection, "queries/load/sent_again.sql", values);
  await runFile(connection, "queries/load/number_repeated.sql", { ...values, is_file: isFile });
  return again?.["is_sent_again"] === true;
}

async function countUnlike(
  connection: DuckDBConnection,
  { readId, source }: ReadFacts,
  hasRepeated: boolean,
): Promise<number> {
  const values = { read_id: readId, source, has_repeated: hasRepeated };
  const [row] = await queryFile(connection, "queries/load/unlike.sql", values);
  return Number(row?.["unlike"]);
}

function dropKnown(
  connection: DuckDBConnection,
  read: ReadFacts,
  { firstEventTime, lastEventTime }: Facts,
): Promise<number> {
  return runFile(connection, "queries/load/rows.sql#drop_known", {
    read_id: read.readId,
    source: read.source,
    first_event_time: firstEventTime,
    last_event_time: lastEventTime,
  });
}

function countPage(
  { page, sha256, bytes, fetched }: StagedPage,
  accepted: ReadonlyMap<number, number>,
  inserted: ReadonlyMap<number, number>,
  rejected: RejectCounts,
): PageCounts {
  const kept = inserted.get(page) ?? 0;
  const duplicate = (accepted.get(page) ?? 0) - kept;
  const quarantined = rejected.get(page) ?? 0;
  if (kept + duplicate + quarantined !== fetched)
    throw new AuditlakeError(
      `page ${page} (${sha256.slice(0, 12)}) held ${fetched} records, but ${kept} were new, ${duplicate} known and ${quarantined} quarantined; nothing of its window was stored; please report this`,
    );
  return { page, sha256, bytes, fetched, inserted: kept, duplicate, quarantined };
}

type Facts = {
  readonly records: number;
  readonly repeated: number;
  readonly outside: number;
  readonly missing: number;
  readonly unshown: string;
  readonly digest: string;
  readonly isForgotten: boolean;
  readonly isLacking: boolean;
  readonly firstEventTime: string;
  readonly lastEventTime: string;
};

async function readFacts(connection: DuckDBConnection, read: ReadFacts): Promise<Facts> {
  const [row] = await queryFile(connection, "queries/load/read_facts.sql", {
    read_id: read.readId,
    source: read.source,
    window_start: read.windowStart,
    window_end: read.windowEnd,
  });
  return {
    records: Number(row?.["records"]),
    repeated: Number(row?.["repeated"]),
    outside: Number(row?.["outside"]),
    missing: Number(row?.["vanished"]),
    unshown: String(row?.["unshown"]),
    digest: String(row?.["digest"]),
    isForgotten: row?.["is_forgotten"] === true,
    isLacking: Number(row?.["lacking"]) > 0,
    firstEventTime: String(row?.["first_event_time"]),
    lastEventTime: String(row?.["last_event_time"]),
  };
}
