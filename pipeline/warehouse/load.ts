import {
  DuckDBListValue,
  listValue,
  type DuckDBConnection,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { Catalog } from "../../schemas/catalog.ts";
import {
  stagedFingerprint,
  stagedOthers,
  toIncomingSql,
} from "../../schemas/generators/incoming.ts";
import { AuditlakeError } from "../errors.ts";
import { queryFile, runFile } from "./statements.ts";

/** A record for the quarantine, with the page it came on. */
export type Rejected = {
  readonly page: number;
  readonly sha256: string;
  readonly reason: string;
  readonly text: string;
};

/** One landed page of a read, as staging left it. */
export type StagedPage = {
  readonly page: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly fetched: number;
  readonly rejects: readonly { readonly reason: string; readonly text: string }[];
};

/** What a read is, before anything of it is loaded. Times are ISO text in UTC; a file has no window. */
export type ReadFacts = {
  readonly readId: string;
  readonly runId: string;
  readonly source: string;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly windowMs: number;
  readonly seenAt: string;
};

export type PageCounts = {
  readonly page: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicate: number;
  readonly quarantined: number;
};

/** What came of a read; for every page fetched = inserted + duplicate + quarantined. */
export type ReadResult = {
  readonly pages: readonly PageCounts[];
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicate: number;
  readonly quarantined: number;
  readonly vanished: number;
  readonly outside: number;
  readonly digest: string;
};

/** What the load must know of the catalog. */
export type LoadFields = {
  readonly fields: Catalog["fields"];
  /** Fields at the front of the fingerprint (schemas/fingerprint.json). */
  readonly baseline: readonly string[];
};

/** Prepares a connection for loading: macros and lookup tables that live as long as it does. */
export async function prepareLoad(connection: DuckDBConnection): Promise<void> {
  await connection.run("set preserve_insertion_order = false");
  await runFile(connection, "queries/load/macros.sql");
  await runFile(connection, "queries/load/lookup.sql");
}

/** A batch of staged files. */
export type Batch = {
  /** Glob of the files; each is named after its page's number. */
  readonly files: string;
  readonly pages: readonly StagedPage[];
  /** Stages the pages again with the unknown members set apart, where the database cannot tell keys apart. */
  readonly restage: () => void;
};

/** Inserts the staged files of a batch; returns the records of it that are no events. */
export async function insertBatch(
  connection: DuckDBConnection,
  read: ReadFacts,
  { files, pages, restage }: Batch,
  { fields, baseline }: LoadFields,
  maxRecordBytes: number,
): Promise<Rejected[]> {
  const early = (): Rejected[] =>
    pages.flatMap((p) => p.rejects.map((r) => ({ page: p.page, sha256: p.sha256, ...r })));
  if (pages.every((p) => p.fetched === p.rejects.length)) return early();
  const recordBytes = maxRecordBytes + 65_536;
  const unknown = await unknownKeys(connection, files, recordBytes, Object.keys(fields));
  if (unknown === undefined) restage();
  // Members that are set apart stand in their line twice.
  const lineBytes = unknown === undefined ? 2 * recordBytes : recordBytes;
  await connection.run(toIncomingSql(fields, baseline, unknown ?? []));
  await runFile(connection, "queries/load/insert.sql", {
    files,
    record_bytes: lineBytes,
    source: read.source,
    run_id: read.runId,
    read_id: read.readId,
    seen_at: read.seenAt,
    window_ms: read.windowMs,
  });
  const accepted = await acceptedByPage(connection, read.readId);
  const short = pages.filter((p) => (accepted.get(p.page) ?? 0) + p.rejects.length !== p.fetched);
  const late = short.length > 0 ? await unreadable(connection, files, short, lineBytes) : [];
  return [...early(), ...late];
}

const maxUnknownKeys = 200;

// The keys of the files that the catalog does not know; undefined where columns cannot stand for them: a key
// twice in one record, keys that differ in letter case alone, control characters, or very many of them.
async function unknownKeys(
  connection: DuckDBConnection,
  files: string,
  recordBytes: number,
  known: readonly string[],
): Promise<string[] | undefined> {
  const rows = await queryFile(connection, "queries/load/key_sets.sql", {
    files,
    record_bytes: recordBytes,
  });
  const sets = rows.map((row) => keysOf(row["key_set"]));
  const staged = [stagedFingerprint, stagedOthers];
  const unknown = new Set(
    sets.flat().filter((key) => !known.includes(key) && !staged.includes(key)),
  );
  const lower = [...known, ...staged, "filename", ...unknown].map((key) => key.toLowerCase());
  const isPlain =
    unknown.size <= maxUnknownKeys &&
    new Set(lower).size === lower.length &&
    ![...unknown].some((key) => key === "" || /[\0-\x1f]/.test(key)) &&
    sets.every((set) => new Set(set).size === set.length);
  return isPlain ? [...unknown].sort() : undefined;
}

function keysOf(value: DuckDBValue | undefined): string[] {
  return value instanceof DuckDBListValue ? value.items.map(String) : [];
}

async function unreadable(
  connection: DuckDBConnection,
  files: string,
  pages: readonly StagedPage[],
  lineBytes: number,
): Promise<Rejected[]> {
  const rows = await queryFile(connection, "queries/load/unreadable.sql", {
    files: listValue(pages.map((p) => files.replace("*", String(p.page)))),
    line_bytes: lineBytes,
    buffer_bytes: lineBytes * 2,
  });
  const hashes = new Map(pages.map((p) => [p.page, p.sha256]));
  return rows.map((row) => ({
    page: Number(row["page"]),
    sha256: hashes.get(Number(row["page"])) ?? "",
    reason: String(row["reason"]),
    text: String(row["record_text"]),
  }));
}

async function acceptedByPage(
  connection: DuckDBConnection,
  readId: string,
): Promise<Map<number, number>> {
  const rows = await queryFile(connection, "queries/load/page_counts.sql", { read_id: readId });
  return new Map(rows.map((row) => [Number(row["page"]), Number(row["accepted"])]));
}

/** Removes what the store holds already, fills the quarantine and counts; run in the read's transaction. */
export async function settleRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  pages: readonly StagedPage[],
  rejected: readonly Rejected[],
): Promise<ReadResult> {
  const accepted = await acceptedByPage(connection, read.readId);
  await runFile(connection, "queries/load/settle.sql", { read_id: read.readId });
  const facts = await readFacts(connection, read);
  if (facts.records > 0)
    await runFile(connection, "queries/load/drop_known.sql", {
      read_id: read.readId,
      source: read.source,
      first_event_time: facts.firstEventTime,
      last_event_time: facts.lastEventTime,
    });
  await keepRejected(connection, read, rejected);
  const inserted = await acceptedByPage(connection, read.readId);
  const counts = pages.map((p) => countPage(p, accepted, inserted, rejected));
  const sum = (of: (c: PageCounts) => number): number => counts.reduce((n, c) => n + of(c), 0);
  return {
    pages: counts,
    fetched: sum((c) => c.fetched),
    inserted: sum((c) => c.inserted),
    duplicate: sum((c) => c.duplicate),
    quarantined: sum((c) => c.quarantined),
    vanished: facts.vanished,
    outside: facts.outside,
    digest: facts.digest,
  };
}

function countPage(
  { page, sha256, bytes, fetched }: StagedPage,
  accepted: ReadonlyMap<number, number>,
  inserted: ReadonlyMap<number, number>,
  rejected: readonly Rejected[],
): PageCounts {
  const kept = inserted.get(page) ?? 0;
  const duplicate = (accepted.get(page) ?? 0) - kept;
  const quarantined = rejected.filter((r) => r.page === page).length;
  if (kept + duplicate + quarantined !== fetched)
    throw new AuditlakeError(
      `page ${page} (${sha256.slice(0, 12)}) held ${fetched} records, but ${kept} were new, ${duplicate} known and ${quarantined} quarantined; nothing of its window was stored; please report this`,
    );
  return { page, sha256, bytes, fetched, inserted: kept, duplicate, quarantined };
}

type Facts = {
  readonly records: number;
  readonly outside: number;
  readonly vanished: number;
  readonly digest: string;
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
    outside: Number(row?.["outside"]),
    vanished: Number(row?.["vanished"]),
    digest: String(row?.["digest"]),
    firstEventTime: String(row?.["first_event_time"]),
    lastEventTime: String(row?.["last_event_time"]),
  };
}

async function keepRejected(
  connection: DuckDBConnection,
  read: ReadFacts,
  rejected: readonly Rejected[],
): Promise<void> {
  if (rejected.length === 0) return;
  await connection.run(
    "create or replace temp table rejects (page integer, sha256 varchar, reason varchar, record_text varchar)",
  );
  const appender = await connection.createAppender("rejects", "main", "temp");
  for (const r of rejected) {
    appender.appendInteger(r.page);
    appender.appendVarchar(r.sha256);
    appender.appendVarchar(r.reason);
    appender.appendVarchar(r.text);
    appender.endRow();
  }
  appender.closeSync();
  await runFile(connection, "queries/load/quarantine.sql", {
    source: read.source,
    run_id: read.runId,
    seen_at: read.seenAt,
  });
}
