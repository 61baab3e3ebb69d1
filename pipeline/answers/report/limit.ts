import type { Row, Rows } from "../../base/rows/row.ts";

/** The most rows to give out. */
export type RowLimit = number | "all";

/** How many rows were given out, and of how many; the total is undefined where nobody counted. */
export type RowCount = { readonly shown: number; readonly total: number | undefined };

/** What is known of the number of rows where the database stopped at the limit. */
export function countOf(shown: number, limit: RowLimit): RowCount {
  return { shown, total: limit === "all" || shown < limit ? shown : undefined };
}

/** A result cut to a number of rows; the rest is read too, so that `total` can say how many there were. */
export function limited(
  { columns, batches }: Rows,
  limit: RowLimit,
): { readonly result: Rows; readonly total: () => number } {
  let total = 0;
  const most = limit === "all" ? Infinity : limit;
  const firstRows = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of batches) {
      const room = most - total;
      total += batch.length;
      if (room > 0) yield room < batch.length ? batch.slice(0, room) : batch;
    }
  };
  return { result: { columns, batches: firstRows() }, total: () => total };
}
