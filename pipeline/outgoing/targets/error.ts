import { AuditlakeError, exitCode, type ExitCode } from "../../base/errors.ts";

export type Progress = {
  readonly target: string;
  /** Rows that the destination took for certain. */
  readonly accepted: number;
  /** Rows whose arrival is unknown. */
  readonly uncertain: number;
  /** Rows that were not sent, or were rejected. */
  readonly missing: number;
};

/**
 * A delivery that failed after something was sent; its message has how much went out. Exit code 6 where none is given.
 */
export class DeliveryError extends AuditlakeError {
  override name = "DeliveryError";
  readonly progress: Progress;

  constructor(progress: Progress, why: string, code: ExitCode = exitCode.partial) {
    super(`delivery to ${progress.target} stopped: ${why}; ${describeProgress(progress)}`, code);
    this.progress = progress;
  }
}

/** The outcome of rows could not be recorded; only the ledger of the delivery knows its progress. */
export class RecordError extends AuditlakeError {
  override name = "RecordError";
}

/** The figures of a delivery in words: `50 rows sent, 51 not sent`. */
export function describeProgress({ accepted, uncertain, missing }: Progress): string {
  const went = `${formatRowCount(accepted)} sent`;
  const perhaps = uncertain === 0 ? "" : `, ${formatRowCount(uncertain)} uncertain`;
  return `${went}${perhaps}, ${missing} not sent`;
}

/** `1 row`, `1,234 rows`. */
export function formatRowCount(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "row" : "rows"}`;
}

/**
 * Works on items, at most `count` at a time, in their order. The first error is thrown once the started ones have
 * ended; no further one is started then.
 */
export async function runInParallel<T>(
  items: AsyncIterator<T> | Iterator<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const faults: unknown[] = [];
  const take = async (): Promise<void> => {
    while (faults.length === 0) {
      const next = await items.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  const run = (): Promise<void> => take().catch((error: unknown) => void faults.push(error));
  await Promise.all(Array.from({ length: count }, run));
  if (faults.length > 0) throw faults[0];
}
