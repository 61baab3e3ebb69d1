import { AuditlakeError } from "../../../base/errors.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import { RowError } from "./layout.ts";

/** Rows of one call, written as JSON, and their numbers in the delivery. */
export type Batch = { readonly items: readonly string[]; readonly numbers: readonly number[] };

export type Batching = {
  readonly maxRows: number;
  readonly maxBytes: number;
  /** One row as JSON; throws RowError where it does not fit. */
  readonly write: (row: Row) => string;
  /** Hears of a row that does not fit and is left out; without it such a row ends the delivery. */
  readonly leaveOut: ((number: number, why: string) => Promise<void>) | undefined;
};

// Bytes of the brackets and of the text around the items.
const frameBytes = 32;

/**
 * Splits the rows into batches, by number and by size. Throws AuditlakeError at a row that does not fit. Such a record
 * is invalid and ends the job regardless of continue_on_failure (seed 002, Errors, rule 3).
 */
export async function* splitIntoBatches(supply: Supply, batching: Batching): AsyncGenerator<Batch> {
  let items: string[] = [];
  let numbers: number[] = [];
  let bytes = frameBytes;
  for (let found = await supply.next(); found !== undefined; found = await supply.next()) {
    const item = await writeRow(found.row, found.number, batching);
    if (item === undefined) continue;
    const size = Buffer.byteLength(item) + 1;
    if (
      items.length === batching.maxRows ||
      (items.length > 0 && bytes + size > batching.maxBytes)
    ) {
      yield { items, numbers };
      items = [];
      numbers = [];
      bytes = frameBytes;
    }
    items.push(item);
    numbers.push(found.number);
    bytes += size;
  }
  if (items.length > 0) yield { items, numbers };
}

async function writeRow(
  row: Row,
  number: number,
  { write, leaveOut, maxBytes }: Batching,
): Promise<string | undefined> {
  try {
    const item = write(row);
    if (Buffer.byteLength(item) + frameBytes <= maxBytes) return item;
    throw new RowError(`is longer than the limit of a call (${maxBytes} bytes)`);
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (leaveOut === undefined)
      throw new AuditlakeError(`row ${number} is not a valid record: ${error.message}`);
    await leaveOut(number, error.message);
    return undefined;
  }
}

/** Rows taken one by one, and counted. */
export type Supply = {
  /** The next row with its number, from 1; undefined at the end. */
  readonly next: () => Promise<{ readonly row: Row; readonly number: number } | undefined>;
  readonly taken: () => number;
  /** Reads the remaining rows only to count them. */
  readonly rest: () => Promise<number>;
};

/** Supplies the wanted rows of a result; all rows are counted. */
export function newSupply({ batches }: Rows, isWanted: (number: number) => boolean): Supply {
  const source = batches[Symbol.asyncIterator]();
  let batch: readonly Row[] = [];
  let at = 0;
  let taken = 0;
  const fillBuffer = async (): Promise<boolean> => {
    while (at >= batch.length) {
      const found = await source.next();
      if (found.done) return false;
      batch = found.value;
      at = 0;
    }
    return true;
  };
  return {
    next: async () => {
      while (await fillBuffer()) {
        const row = batch[at++]!;
        const number = (taken += 1);
        if (isWanted(number)) return { row, number };
      }
      return undefined;
    },
    taken: () => taken,
    rest: async () => {
      let left = 0;
      while (await fillBuffer()) {
        left += batch.length - at;
        at = batch.length;
      }
      return left;
    },
  };
}
