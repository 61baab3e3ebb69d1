import { expect, it } from "vitest";
import { partitionByDay } from "../../../../../pipeline/adapters/destinations/file/day.ts";
import { listColumns } from "../../../outgoing/targets/rows.ts";

const time = { name: "at", type: "TIMESTAMP", kind: "time" } as const;
const columns = listColumns(["who", time]);

it.each([
  ["2026-11-21", "date=2026-11-21"],
  ["2026-11-21T10:20:30Z", "date=2026-11-21"],
  ["2026-11-21 10:20:30", "date=2026-11-21"],
  [null, "date=__HIVE_DEFAULT_PARTITION__"],
  ["2026-11-211", undefined],
  ["2026-13-01", undefined],
  ["yesterday", undefined],
])("puts a row of %j into %s", (cell, part) => {
  for (const [name, row] of [
    ["at", ["x", cell]],
    ["who", [cell, null]],
  ] as const) {
    const { isParted, getPart } = partitionByDay(name, columns);
    expect(isParted).toBe(true);
    if (part !== undefined) expect(getPart(row)).toBe(part);
    else
      expect(() => getPart(row)).toThrow(
        `partition_by_day: ${name} has a value that is not a date; `,
      );
  }
});

it("leaves all rows together if no column is named", () => {
  const { isParted, getPart } = partitionByDay(undefined, listColumns(["date"]));
  expect([isParted, getPart(["2026-11-21"])]).toEqual([false, ""]);
});

const number = { name: "n", type: "BIGINT", kind: "number" } as const;

it.each([
  ["nosuch", columns, "nosuch is not a column of the result; expected a column that holds a date"],
  ["n", listColumns([number]), "n is a column of type BIGINT; expected a column that holds a date"],
  ["at", listColumns([time, "Date"]), "the result has a column named date, which conflicts"],
])("takes no day from %s", (name, of, expected) => {
  expect(() => partitionByDay(name, of)).toThrow(`partition_by_day: ${expected}`);
});
