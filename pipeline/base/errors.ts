import { escapeLineControls } from "./printable.ts";

export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  findings: 3,
  refused: 4,
  locked: 5,
  partial: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/**
 * An error that the user can act on: printed as one line, without a stack. Its message has no control or bidi
 * characters, even in quoted text, so that it can be stored and shown anywhere.
 */
export class AuditlakeError extends Error {
  override name = "AuditlakeError";
  readonly exitCode: ExitCode;
  /** Whether the statement itself is invalid, or names what the database does not have, and has to be fixed. */
  readonly isBadStatement: boolean;

  constructor(
    message: string,
    code: ExitCode = exitCode.failed,
    options: ErrorOptions & { readonly isBadStatement?: boolean } = {},
  ) {
    super(escapeLineControls(message), options);
    this.exitCode = code;
    this.isBadStatement = options.isBadStatement === true;
  }
}

/** A wrong flag, argument or configuration; exit code 2. */
export class UsageError extends AuditlakeError {
  override name = "UsageError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, exitCode.usage, options);
  }
}

/** Returns the first error, if cleaning up after it failed as well: that is the one to fix. */
export function getFirstError(error: unknown): unknown {
  return error instanceof SuppressedError ? getFirstError(error.suppressed) : error;
}

/** The message of anything thrown, with the messages of its causes, printable. */
export function getMessage(thrown: unknown): string {
  const error = getFirstError(thrown);
  if (!(error instanceof Error)) return escapeLineControls(String(error));
  const message = escapeLineControls(error.message);
  return error.cause instanceof Error ? `${message}: ${getMessage(error.cause)}` : message;
}

/** Decides whether an error is of a statement itself, by the kind of error that the database names. */
export function isBadStatement(error: unknown): boolean {
  if (error instanceof AuditlakeError) return error.isBadStatement;
  return error instanceof Error && /^(?:Parser|Binder|Catalog) Error\b/.test(error.message);
}

/** True for a file system error of the given code, for example ENOENT. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

// DuckDB reports the message of the operating system without its code.
const limits: readonly (readonly [sign: RegExp, advice: string])[] = [
  [/\b(?:ENOSPC|EDQUOT|EFBIG)\b|no space left on device|disk quota exceeded/i, "free space"],
  [
    /\b(?:EMFILE|ENFILE)\b|too many open files/i,
    "raise the limit of open files (ulimit -n, or LimitNOFILE of the systemd unit)",
  ],
  [/\bEROFS\b|read-only file system/i, "mount its file system read-write"],
];

/** What to do about an error of the operating system that no other message explains; undefined for any other. */
export function findSystemAdvice(error: unknown): string | undefined {
  const text = getMessage(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return limits.find(([sign]) => sign.test(`${code} ${text}`))?.[1];
}
