import type { Row, Rows } from "../../../base/rows/row.ts";

/** Rows taken one by one, and counted. */
export type Supply = {
  /** The next row with its number, from 1; undefined at the end. */
  readonly next: () => Promise<{ readonly row: Row; readonly number: number } | undefined>;
  /** Rows taken so far. */
  readonly taken: () => number;
  /** Reads what is left only to count it. */
  readonly rest: () => Promise<number>;
};

/** A supply of the rows of a result, those alone that are wanted; the others are counted all the same. */
export function supplyOf({ batches }: Rows, isWanted: (number: number) => boolean): Supply {
  const source = batches[Symbol.asyncIterator]();
  let batch: readonly Row[] = [];
  let at = 0;
  let taken = 0;
  const fill = async (): Promise<boolean> => {
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
      while (await fill()) {
        const row = batch[at++]!;
        const number = (taken += 1);
        if (isWanted(number)) return { row, number };
      }
      return undefined;
    },
    taken: () => taken,
    rest: async () => {
      let left = 0;
      while (await fill()) {
        left += batch.length - at;
        at = batch.length;
      }
      return left;
    },
  };
}
