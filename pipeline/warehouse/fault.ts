import { AuditlakeError } from "../errors.ts";

const hints: Readonly<Record<string, string>> = {
  "Out of Memory Error": "raise memory_limit in the configuration",
  "IO Error": "check free space and rights below the home directory",
};

/**
 * A fault of the database during a load as one line to act on. Its own text is left out, since it can quote a
 * record. Anything else is returned as it is.
 */
export function loadFault(error: unknown): unknown {
  if (error instanceof AuditlakeError || !(error instanceof Error)) return error;
  const kind = /^([A-Za-z ]{2,40} Error): /.exec(error.message)?.[1];
  if (kind === undefined) return error;
  const hint = hints[kind] ?? "run it again, and report it if that does not help";
  return new AuditlakeError(
    `the database failed during the load (${kind}); nothing of this read was stored; ${hint}`,
  );
}
