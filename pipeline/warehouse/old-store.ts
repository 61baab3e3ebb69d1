import { AuditlakeError } from "../errors.ts";

/** A database of an earlier version, whose rule of what is one event was another: it is left as it is. */
export class OldStoreError extends AuditlakeError {
  override name = "OldStoreError";
  constructor() {
    super(
      "the database was made by an earlier auditlake, which told events apart by another rule; nothing was changed; copy its home without warehouse.duckdb and audit.duckdb, and run auditlake --home COPY rebuild",
    );
  }
}
