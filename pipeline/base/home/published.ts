import { formatCommand } from "../command-line.ts";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AuditlakeError } from "../errors.ts";
import type { Home } from "./layout.ts";

/** Throws AuditlakeError with advice if no published file exists. */
export function requirePublished(path: string): void {
  const isThere = existsSync(path);
  if (isThere && statSync(path).isDirectory())
    throw new AuditlakeError(
      `${path} is a folder; expected the published file; move it away, then run ${formatCommand("publish")}`,
    );
  if (isThere) return;
  const home = dirname(path);
  if (!existsSync(home)) throw newNoHomeError(home);
  throw new AuditlakeError(
    `nothing published yet: ${path} does not exist; run ${formatCommand("ingest")} or import first`,
  );
}

/** Throws AuditlakeError if the home does not exist: verbs that need data never create one. */
export function requireHome({ root }: Home): void {
  if (!existsSync(root)) throw newNoHomeError(root);
}

function newNoHomeError(root: string): AuditlakeError {
  return new AuditlakeError(
    `nothing published yet: the home ${root} does not exist; check --home, AUDITLAKE_HOME and home in the configuration, or run ${formatCommand("ingest")} or import first`,
  );
}
