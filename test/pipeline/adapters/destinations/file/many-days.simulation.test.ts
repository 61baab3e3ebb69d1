import { expect, it } from "vitest";
import type { Row } from "../../../../../pipeline/base/rows/row.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { deliver, filesBelow, newFolder } from "./setting.ts";

it("partition_by_day takes more days than files that may be open", async () => {
  const at = { name: "at", type: "TIMESTAMP", kind: "time" } as const;
  const folder = newFolder();
  const many = Array.from({ length: 1500 }, (_, n): Row => [
    "x",
    new Date(Date.UTC(2020, 0, 1 + n)).toISOString(),
  ]);
  await deliver(folder, listRows(["x", at], many, 2000), { partition_by_day: "at" });
  expect(filesBelow(folder)).toHaveLength(1500);
});
