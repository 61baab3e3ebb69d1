import type { Row, Rows } from "../../../base/rows/row.ts";

export type Batch = {
  readonly number: number;
  /** Number of its first row, from 1. */
  readonly first: number;
  readonly rows: readonly Row[];
  readonly isLast: boolean;
};

/** The rows in batches of a size, numbered from 1; the last may be shorter. */
export async function* batchesOf(rows: Rows["batches"], size: number): AsyncGenerator<Batch> {
  let waiting: Row[] = [];
  let number = 0;
  const firstOf = (batch: number): number => (batch - 1) * size + 1;
  for await (const part of rows)
    for (const row of part) {
      if (waiting.length === size) {
        number += 1;
        yield { number, first: firstOf(number), rows: waiting, isLast: false };
        waiting = [];
      }
      waiting.push(row);
    }
  if (waiting.length === 0) return;
  yield { number: number + 1, first: firstOf(number + 1), rows: waiting, isLast: true };
}
