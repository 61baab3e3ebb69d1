import { expect, test } from "vitest";
import {
  readSheetDecisions,
  type SheetRow,
} from "../../../../../pipeline/answers/access/review/decisions.ts";
import type { Item } from "../../../../../pipeline/answers/access/review/item.ts";
import type { Review } from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import { right } from "./right.ts";

const item: Item = { ...right, row: "r1" };
const review: Review = {
  version: 1,
  review_id: "R1",
  source: "default",
  on: "2026-03-01T00:00:00Z",
  items: [item],
  policies: {},
};
const asked = { reviewer: "root", date: "2026-03-02", isReasonNeeded: false };
const good = {
  person: "ann@example.com",
  right: "query on shop (5)",
  way: "policy Analysts (7)",
  row: "r1",
  review: "R1",
  decision: "keep",
};

const listRows = (all: readonly Partial<typeof good>[]): SheetRow[] =>
  all.map((cells, i) => ({
    file: "a.csv",
    line: i + 2,
    cells: new Map(Object.entries({ ...good, ...cells })),
  }));
const read = (all: readonly Partial<typeof good>[]) =>
  readSheetDecisions(listRows(all), review, asked);

test("an exported row means the same decision for every reader of the file", () => {
  expect([...read([{}]).values()]).toEqual([
    { row: "r1", decision: "keep", reason: "", reviewer: "root", date: "2026-03-02" },
  ]);
});

test.each([1, 2, 3, 4, 5, 40])(
  "of %i wrong rows three are reported with their lines, and the number of the others",
  (count) => {
    const wrong = Array.from({ length: count }, (_, i) => ({ row: `x${i}` }));
    const messages = wrong
      .slice(0, 3)
      .map(
        ({ row }, i) =>
          `a.csv line ${i + 3}: row "${row}" does not belong to the review; rows cannot be added`,
      )
      .join("; ");
    const more = count > 3 ? ` (and ${count - 3} more)` : "";
    expect(() => read([{}, ...wrong])).toThrow(`${messages}${more}; nothing was sent`);
  },
);
