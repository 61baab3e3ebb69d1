import { AuditlakeError, exitCode, messageOf } from "../../base/errors.ts";

/** A database file that is there and cannot be read: making it anew mends it. */
export class DatabaseDamage extends AuditlakeError {
  override name = "DatabaseDamage";
  /** What is wrong with it, in the words of the database. */
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
  return shortage.test(messageOf(error));
}

/** True where another process has the file. */
export function isHeld(error: unknown): boolean {
  return messageOf(error).includes("Conflicting lock is held");
}

/** True for an error of reading or writing the file, and false for one of the SQL. */
export function isOfStorage(error: unknown): boolean {
  return /^(?:IO|FATAL|Fatal|INTERNAL|Serialization|Out of Memory|TransactionContext) Error/.test(
    messageOf(error),
  );
}

/** True where the database is whole but its write-ahead log cannot be replayed into it. */
export function isReplay(error: unknown): boolean {
  return /Failure while replaying WAL/.test(messageOf(error)) && !isOutside(error);
}

/** The error of a database that does not open, as one line; `advice` is for a file that is damaged. */
export function openFault(path: string, error: unknown, advice: string): AuditlakeError {
  const message = messageOf(error);
  const [, program, pid] = heldBy.exec(message) ?? [];
  if (pid !== undefined)
    return new AuditlakeError(
      `${path} is open in another program (${program || "unknown"}, process ${pid}); close it there and run again`,
      exitCode.locked,
    );
  if (message.startsWith("Out of Memory Error"))
    return new AuditlakeError(
      `the database had too little memory for ${path}: ${memoryOf(message)}; raise memory_limit in the configuration`,
    );
  if (isOutside(error))
    return new AuditlakeError(
      `cannot open ${path}: ${causeOf(message)}; make room or mend the rights, then run again`,
    );
  const reason = causeOf(message);
  return new DatabaseDamage(`${path} does not open: ${reason}; ${advice}`, reason);
}

// The database suggests statements of its own, which nobody can give it here.
function memoryOf(message: string): string {
  return causeOf(message.split("Possible solutions:")[0]!);
}

const maxCause = 200;

/** What the database says went wrong, without its name for the kind of error and without the path. */
export function causeOf(message: string): string {
  const cause = message
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:[A-Za-z]+ )+Error: /, "")
    .replaceAll(/ ?"\/[^"]*"/g, "")
    .replace(/ See also https?:.*$/, "")
    .replace(/(?<![.!:; ])[.!:; ]+$/, "");
  return cause.length > maxCause ? `${cause.slice(0, maxCause)}…` : cause;
}
