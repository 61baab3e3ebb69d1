import { expect, it } from "vitest";
import {
  type Batch,
  splitIntoBatches,
} from "../../../../../pipeline/adapters/destinations/webhook/request.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";

it.each([
  [0, 3, []],
  [2, 3, [[1, 1, 2, true]]],
  [3, 3, [[1, 1, 3, true]]],
  [
    4,
    3,
    [
      [1, 1, 3, false],
      [2, 4, 1, true],
    ],
  ],
  [
    6,
    3,
    [
      [1, 1, 3, false],
      [2, 4, 3, true],
    ],
  ],
])(
  "makes of %i rows batches of %i: number, first row, size, and whether it is the last",
  async (count, size, expected) => {
    const rows = Array.from({ length: count }, (_, i) => [String(i + 1)]);
    for (const arriving of [1, 2, 7]) {
      const found: Batch[] = [];
      for await (const batch of splitIntoBatches(listRows(["n"], rows, arriving).batches, size))
        found.push(batch);
      expect(
        found.map(({ number, first, rows: own, isLast }) => [number, first, own.length, isLast]),
      ).toEqual(expected);
      expect(found.flatMap((batch) => batch.rows)).toEqual(rows);
    }
  },
);
