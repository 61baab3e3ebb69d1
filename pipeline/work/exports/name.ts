import type { Question } from "../../base/sql/question.ts";
import { valueText } from "../../answers/report/values.ts";
import { sha256Of } from "../../base/home/sha256.ts";

/**
 * Names the export of a report with these parameters. The name is the same for the same report, range and values, so
 * that another export replaces the first. Safe as a file name: `new_denials-20261120T000000Z-20261121T000000Z`.
 */
export function exportName(report: string, { values }: Question): string {
  const texts = Object.entries(values)
    .map(([name, value]) => [name, valueText(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const range = ["since", "until"].flatMap((name) => texts.filter(([key]) => key === name));
  const others = texts.filter(([name]) => name !== "since" && name !== "until");
  return [
    report,
    ...range.map(([, text]) => text.replaceAll(/[^0-9A-Za-z.]/g, "")).filter((text) => text !== ""),
    ...(others.length === 0 ? [] : [shortHash(others)]),
  ].join("-");
}

/** Eight hexadecimal digits that stand for a value. */
export function shortHash(value: unknown): string {
  return sha256Of(JSON.stringify(value)).slice(0, 8);
}
