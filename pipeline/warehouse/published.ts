import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { AuditlakeError } from "../errors.ts";

/** Throws AuditlakeError where there is no published file yet, and says what to do. */
export function requirePublished(path: string): void {
  if (existsSync(path)) return;
  const home = dirname(path);
  if (!existsSync(home))
    throw new AuditlakeError(
      `nothing published yet: there is no home ${home}; check --home, AUDITLAKE_HOME and home in the configuration, or run auditlake ingest or import first`,
    );
  throw new AuditlakeError(
    `nothing published yet: ${path} does not exist; run auditlake ingest or import first`,
  );
}
