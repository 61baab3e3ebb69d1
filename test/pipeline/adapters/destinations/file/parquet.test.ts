import { expect, it } from "vitest";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { deliver, newFolder, query } from "./setting.ts";

it("keeps every digit of sums, which have more than a floating number", async () => {
  const folder = newFolder();
  const total = { name: "total", type: "HUGEINT", kind: "number" } as const;
  const sums = ["9007199254740993", `-${"9".repeat(38)}`, null];
  await deliver(
    folder,
    listRows(
      [total],
      sums.map((sum) => [sum]),
    ),
    { format: "parquet" },
  );
  const found = await query(`select cast(total as varchar) as total from '${folder}/d1.parquet'`);
  expect(found.map((row) => row["total"])).toEqual(sums);
});

it("keeps numbers to the last bit, and the sign of a zero", async () => {
  const folder = newFolder();
  const numbers = [0, -0, 0.1, -0.1, 5e-324, 1.7976931348623157e308, null];
  const ratio = { name: "ratio", type: "DOUBLE", kind: "number" } as const;
  const rows = numbers.map((number) => [number]);
  await deliver(folder, listRows([ratio], rows, 2), { format: "parquet" });
  const found = await query(`select cast(ratio as varchar) as ratio from '${folder}/d1.parquet'`);
  const texts = found.map((row) => row["ratio"]);
  expect(texts.map((text) => (text === null ? null : Number(text)))).toEqual(numbers);
});
