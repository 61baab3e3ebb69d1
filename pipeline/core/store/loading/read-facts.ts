import type { Catalog } from "../../../../schemas/catalog.ts";
import type { IdentityFields } from "../../../../schemas/generators/key.ts";

/** A record for the quarantine, with the page it came on. */
export type RejectedRecord = {
  readonly page: number;
  readonly sha256: string;
  readonly reason: string;
  readonly text: string;
};

export type StagedPage = {
  readonly page: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly fetched: number;
  /** Deleted after they are stored in the database. */
  rejects: readonly { readonly reason: string; readonly text: string }[];
  /** Bytes of its longest staged line. */
  readonly longest: number;
};

/** How many records of each page became rows, and how many went to the rejects. */
export type PageTallies = {
  readonly accepted: Map<number, number>;
  readonly rejected: Map<number, number>;
};

/** The pages of a read whose records are rows now, and the rejected records. */
export type InsertResult = PageTallies & { readonly staged: readonly StagedPage[] };

/** What a read is, before anything of it is loaded. Times are ISO text in UTC; a file has no window. */
export type ReadFacts = {
  readonly readId: string;
  readonly runId: string;
  readonly source: string;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly windowMs: number;
  readonly seenAt: string;
  /** For each page, the requested part of the window; empty with one part. */
  readonly parts: readonly number[];
};

/** Lists for each page the requested part of the window; one number with one part. */
export function listParts({ parts }: Pick<ReadFacts, "parts">): number[] {
  return parts.length > 0 ? [...parts] : [0];
}

export type PageCounts = {
  readonly page: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicate: number;
  readonly quarantined: number;
};

/** Result of a read; for every page fetched = inserted + duplicate + quarantined. */
export type ReadResult = {
  readonly pages: readonly PageCounts[];
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicate: number;
  readonly quarantined: number;
  /** Stored events of its window that an earlier read of it had shown, and this one does not. */
  readonly missing: number;
  /** Keys (JSON) of stored events of its window that came only from reads of other windows and are missing in it. */
  readonly unshown: string;
  readonly outside: number;
  /** Equal records on different pages: a sign that pages shifted while they were read. */
  readonly ambiguous: number;
  /** Records without an id taken for known, though their unknown fields differ from those of all stored ones. */
  readonly unlike: number;
  /** Records that the store does not have, and that wait for a read that agrees. */
  readonly withheld: number;
  readonly digest: string;
};

/** What two reads are compared by. */
export type StoredContent = Pick<ReadResult, "digest" | "quarantined">;

/**
 * The same, and whether rows of its window that a previous read returned are missing. If those are all rows before some
 * moment, the service has deleted them.
 */
export type ReadContent = StoredContent & {
  readonly isForgotten: boolean;
  readonly isIncomplete: boolean;
  /** Whether one of its pages came twice, in the place of another. */
  readonly isSentAgain: boolean;
  readonly fetched: number;
};

/** What the load must know of the catalog. */
export type LoadFields = {
  readonly fields: Catalog["fields"];
  /** Fields in the key of an event (schemas/identity.json). */
  readonly identity: IdentityFields;
};
