import type { DuckDBConnection } from "@duckdb/node-api";
import { queryFile } from "../../../base/sql/statements.ts";

/** What requests of one form have shown of a source so far. */
export type Traits = {
  /** Whether it has named a next page that was followed. */
  readonly isNextSeen: boolean;
  /** Records of the smallest page that had a successor; undefined where none had. */
  readonly smallestFollowed: number | undefined;
  /** Whether it has ever sent records. */
  readonly hasGiven: boolean;
  /** Whether it was asked for pages of half the records, to see whether it names a next one. */
  readonly isHalfAsked: boolean;
};

/** The traits of a source as far as all reads have shown them, or those before a given one. */
export async function traitsOf(
  connection: DuckDBConnection,
  source: string,
  form: string,
  before?: { readonly seenAt: string; readonly readId: string },
): Promise<Traits> {
  const [seenAt, readId] = [before?.seenAt ?? null, before?.readId ?? null];
  const values = { source, form, seen_at: seenAt, read_id: readId };
  const [row] = await queryFile(connection, "queries/load/reads.sql#traits", values);
  const smallest = row?.["smallest_followed"] ?? null;
  return {
    isNextSeen: row?.["is_next_seen"] === true,
    smallestFollowed: smallest === null ? undefined : Number(smallest),
    hasGiven: row?.["has_given"] === true,
    isHalfAsked: row?.["is_half_asked"] === true,
  };
}
