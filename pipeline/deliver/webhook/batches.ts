import type { Row, Rows } from "../../rows/row.ts";

export type Batch = {
  readonly number: number;
  readonly rows: readonly Row[];
  readonly isLast: boolean;
};

/** The rows in batches of a size, numbered from 1; the last may be shorter. */
export async function* batchesOf(rows: Rows["batches"], size: number): AsyncGenerator<Batch> {
  let waiting: Row[] = [];
  let number = 0;
  for await (const part of rows)
    for (const row of part) {
      if (waiting.length === size) {
        yield { number: (number += 1), rows: waiting, isLast: false };
        waiting = [];
      }
      waiting.push(row);
    }
  if (waiting.length > 0) yield { number: number + 1, rows: waiting, isLast: true };
}
