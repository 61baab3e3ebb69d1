import { listValue, type DuckDBConnection } from "@duckdb/node-api";
import { toIncomingSql } from "../../../../schemas/generators/incoming.ts";
import { defineIncoming, lineBytes, planned, stagedFiles } from "./insert.ts";
import type { LoadFields, ReadFacts, StagedPage } from "./read-facts.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

/** Where pages were staged, and of which source; `windowMs` is how long its windows are. */
export type StagedIn = {
  readonly source: string;
  readonly windowMs: number;
  readonly folder: string;
};

/** Makes rows of pages of one source that were staged carefully; returns how many each page gave. */
export async function stageRows(
  connection: DuckDBConnection,
  pages: readonly StagedPage[],
  { source, windowMs, folder }: StagedIn,
  { fields, identity }: LoadFields,
): Promise<ReadonlyMap<number, number>> {
  await defineIncoming(connection, toIncomingSql(fields, identity));
  const { named, nameless } = stagedFiles(folder, "*");
  const records = pages.reduce((sum, page) => sum + page.fetched, 0);
  await planned(connection, records, () =>
    runFile(connection, "queries/load/rows.sql#stage", {
      files: listValue([named, nameless]),
      record_bytes: lineBytes(pages),
      source,
      window_ms: windowMs,
    }),
  );
  const rows = await queryFile(connection, "queries/load/rows.sql#staged_counts");
  return new Map(rows.map((row) => [Number(row["page"]), Number(row["accepted"])]));
}

/** Inserts the rows of one read, whose pages have these numbers among those of all. */
export async function insertStaged(
  connection: DuckDBConnection,
  { readId, runId, seenAt }: ReadFacts,
  first: number,
  last: number,
): Promise<void> {
  await runFile(connection, "queries/load/rows.sql#insert_staged", {
    run_id: runId,
    read_id: readId,
    seen_at: seenAt,
    first_page: first,
    last_page: last,
  });
}
