import { formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { expect, it } from "vitest";
import {
  formatRows,
  warnOfSkipped,
} from "../../../../../pipeline/adapters/destinations/messaging/recipients.ts";

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

it.each([
  [10, /row 10 \(…0010\)$/],
  [11, /row 10 \(…0010\) and 1 more$/],
])(
  "a preview of %i recipients prints ten, by the last digits of their numbers",
  (count, expected) => {
    const text = formatRows(
      upTo(count).map((row) => ({ row, phone: `1631555${String(row).padStart(4, "0")}` })),
    );
    expect(text).toMatch(/^row 1 \(…0001\), row 2/);
    expect(text).toMatch(expected);
    expect(text).not.toContain("1631");
  },
);

it("a preview names the rows without a message of their own, by the reason", () => {
  const listMessages = (invalid: number[], withoutValue: number[], equal: number[]): string[] => {
    const lines: string[] = [];
    warnOfSkipped({ invalid, withoutValue, equal }, (line) => lines.push(formatLine(line)));
    return lines;
  };
  expect(listMessages([], [], [])).toEqual([]);
  expect(listMessages([3], upTo(12), [7])).toEqual([
    "warning: skipped 1 row with no valid phone number with its country code: 3",
    "warning: skipped 12 rows with no value for a variable of the template: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more",
    "1 row with the same number and message as an earlier one, sent once: 7",
  ]);
});
