import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, exitCode, getFirstError, getMessage } from "../../base/errors.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { hasTable } from "../../base/sql/instance.ts";

/** The database answers no further statement until it is reopened; the message names the cause. */
export class DatabaseDown extends AuditlakeError {
  override name = "DatabaseDown";
}

const hints: Readonly<Record<string, string>> = {
  "Out of Memory Error": "raise memory_limit in the configuration",
  "IO Error": "check free space and permissions below the home directory",
};

/**
 * Describes a database fault during a load in one line with advice. The original text is excluded, since it can quote a
 * record; only the file and cause of a failed write are taken from it. Other values are returned unchanged.
 */
export function loadFault(thrown: unknown): unknown {
  const error = getFirstError(thrown);
  if (error instanceof AuditlakeError || !(error instanceof Error)) return error;
  const kind = /^([A-Za-z ]{2,40} Error): /.exec(error.message)?.[1];
  if (kind === undefined) return error;
  const cause = describeFileFault(error.message);
  const hint = hints[kind] ?? "run it again, and report it if that does not help";
  const isDown = kind === "FATAL Error";
  // Each later statement fails with the words of the first failure in its own, and that may have followed a commit.
  const kept =
    isDown || /COMMIT succeeded/.test(error.message)
      ? "committed data is safe"
      : "nothing of this read was stored";
  const Fault = isDown ? DatabaseDown : AuditlakeError;
  return new Fault(
    cause === undefined
      ? `the database failed during the load (${kind}); ${kept}; ${hint}`
      : `${cause.text}; ${kept}; ${cause.advice}`,
  );
}

/** Describes a fault while the database wrote its data and closed; earlier commits are safe. */
export function describeClosingFault(error: unknown): unknown {
  if (error instanceof AuditlakeError || !(error instanceof Error)) return error;
  const cause = describeFileFault(error.message);
  return new AuditlakeError(
    cause === undefined
      ? `the warehouse could not be closed: ${getMessage(error)}; the old published file stays; run ${formatCommand("publish")}`
      : `${cause.text}; the old published file stays; ${cause.advice}`,
  );
}

type Cause = { readonly text: string; readonly advice: string };

const writeAdvice = "free disk space or correct the permissions, then run again";

// The database names the file in double quotes and gives the system's words for the cause after it.
function describeFileFault(message: string): Cause | undefined {
  if (/max_temp_directory_size/.test(message))
    return {
      text: "no space for temporary files in the home directory",
      advice: "free disk space, or raise memory_limit in the configuration",
    };
  if (
    /Corrupt database file|does not match stored checksum|Could not read enough bytes/.test(message)
  )
    return {
      text: "the warehouse is damaged: a block is truncated or does not match its checksum",
      advice: `run ${formatCommand("rebuild")} to rebuild it from the stored pages`,
    };
  const [, file, cause] =
    /"(\/[^"]+)":? ?.*?(No space left on device|File too large|Disk quota exceeded|Permission denied|Read-only file system|Input\/output error)/s.exec(
      message,
    ) ?? [];
  if (file === undefined) return undefined;
  return { text: `cannot write ${file}: ${cause!.toLowerCase()}`, advice: writeAdvice };
}

/** A database file that exists and cannot be read; a rebuild fixes it. */
export class DatabaseDamage extends AuditlakeError {
  override name = "DatabaseDamage";
  /** The fault in the words of the database. */
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

const heldBy = /Conflicting lock is held in (.*?) ?\(PID (\d+)\)/;
const shortage =
  /No space left on device|File too large|Disk quota exceeded|Permission denied|Read-only file system|Too many open files|Input\/output error|Is a directory|Out of Memory|Could not allocate/;

/** True where a file does not open for a reason that lies outside of it: rights, space, memory. */
export function isOutside(error: unknown): boolean {
  return shortage.test(getMessage(error));
}

/** True where another process has the file. */
export function isHeld(error: unknown): boolean {
  return getMessage(error).includes("Conflicting lock is held");
}

/** True for an error of reading or writing the file, and false for one of the SQL. */
export function isOfStorage(error: unknown): boolean {
  return /^(?:IO|FATAL|Fatal|INTERNAL|Serialization|Out of Memory|TransactionContext) Error/.test(
    getMessage(error),
  );
}

/** True where the database is whole but its write-ahead log cannot be replayed into it. */
export function isReplay(error: unknown): boolean {
  return /Failure while replaying WAL/.test(getMessage(error)) && !isOutside(error);
}

/** The error of a database that does not open, as one line; `advice` is for a file that is damaged. */
export function openFault(path: string, error: unknown, advice: string): AuditlakeError {
  const message = getMessage(error);
  const [, program, pid] = heldBy.exec(message) ?? [];
  if (pid !== undefined)
    return new AuditlakeError(
      `${path} is open in another program (${program || "unknown"}, process ${pid}); close it there and run again`,
      exitCode.locked,
    );
  if (message.startsWith("Out of Memory Error"))
    return new AuditlakeError(
      `the database had too little memory for ${path}: ${readMemory(message)}; raise memory_limit in the configuration`,
    );
  if (isOutside(error))
    return new AuditlakeError(
      `cannot open ${path}: ${describeCause(message)}; free disk space or correct the permissions, then run again`,
    );
  const reason = describeCause(message);
  return new DatabaseDamage(`${path} does not open: ${reason}; ${advice}`, reason);
}

// Removes the database's suggestions, which do not apply here.
function readMemory(message: string): string {
  return describeCause(message.split("Possible solutions:")[0]!);
}

const maxCause = 200;

/** Returns the cause from a database message, without the kind of error and the path. */
export function describeCause(message: string): string {
  const cause = message
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:[A-Za-z]+ )+Error: /, "")
    .replaceAll(/ ?"\/[^"]*"/g, "")
    .replace(/ See also https?:.*$/, "")
    .replace(/(?<![.!:; ])[.!:; ]+$/, "");
  return cause.length > maxCause ? `${cause.slice(0, maxCause)}…` : cause;
}

/** A database of version 1, which identifies events by another rule: a writer has to rebuild it first. */
export class OldStoreError extends AuditlakeError {
  override name = "OldStoreError";
  constructor() {
    super(
      `the database was created by an earlier auditlake with other rules of identity; run ${formatCommand("publish")}, which rebuilds it from the stored pages and retains the old one`,
    );
  }
}

/** Throws OldStoreError if the published file has version 1. */
export async function refuseOldStore(connection: DuckDBConnection): Promise<void> {
  if (await hasTable(connection, "store_version")) return;
  if (await hasTable(connection, "window_reads")) throw new OldStoreError();
}
