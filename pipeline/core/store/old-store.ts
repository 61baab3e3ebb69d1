import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../base/errors.ts";
import { hasTable } from "../../base/sql/instance.ts";

/** A database of version 1, whose rule of what is one event was another: whoever writes makes it anew first. */
export class OldStoreError extends AuditlakeError {
  override name = "OldStoreError";
  constructor() {
    super(
      `the database was made by an earlier auditlake, which told events apart by another rule; run ${commandText("publish")}, which makes it anew from the landed pages and keeps the old one`,
    );
  }
}

/** Throws OldStoreError where the published file comes from such a database. */
export async function refuseOldStore(connection: DuckDBConnection): Promise<void> {
  if (await hasTable(connection, "store_version")) return;
  if (await hasTable(connection, "window_reads")) throw new OldStoreError();
}
