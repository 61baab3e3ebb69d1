import { statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keepRows, readKeptRows } from "../../../../pipeline/outgoing/deliveries/stored-rows.ts";
import type { Cell, Row } from "../../../../pipeline/base/rows/row.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { listRows } from "../targets/rows.ts";

const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, -0),
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\u2028", "\r\n", "a\u2029b", '{"n":"1"}', "\ud800"),
);

test("property: rows are read as they were stored", async () => {
  const { path: folder, remove } = temporaryFolder();
  const path = join(folder, "d.rows");
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.tuple(
        fc.constant(width),
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 40 }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(table, async ([width, given]) => {
      const columns = Array.from({ length: width }, (_, at) => `c${at}`);
      expect(await keepRows(listRows(columns, given, 7), path)).toBe(given.length);
      const rows = await readKeptRows(path);
      const found: Row[] = [];
      for await (const batch of rows.batches) found.push(...batch);
      expect(rows.columns.map(({ name }) => name)).toEqual(columns);
      expect(found).toEqual(given);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }),
    { numRuns: 60 },
  );
  remove();
});

test.each([0, 1, 999, 1000, 1001, 2000])(
  "%i rows are returned in batches, none of which is empty, since each is a request to a target",
  async (count) => {
    const { path: folder, remove } = temporaryFolder();
    const path = join(folder, "d.rows");
    const given = Array.from({ length: count }, (_, at): Row => [at]);
    await keepRows(listRows(["c"], given), path);
    const sizes: number[] = [];
    for await (const batch of (await readKeptRows(path)).batches) sizes.push(batch.length);
    expect(sizes).not.toContain(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count);
    remove();
  },
);
