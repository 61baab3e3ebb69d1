import { existsSync } from "node:fs";
import { AuditlakeError } from "../errors.ts";

/** Throws AuditlakeError where there is no published file yet, and says what to do. */
export function requirePublished(path: string): void {
  if (!existsSync(path))
    throw new AuditlakeError(
      `nothing published yet: ${path} does not exist; run auditlake ingest or import first`,
    );
}
