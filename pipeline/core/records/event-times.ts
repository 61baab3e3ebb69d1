import { readRecordedMs } from "../../base/time/text.ts";
import { digitsOf, numberText, parseKeepingNumbers } from "./canonical.ts";
import { csvToLines } from "./csv.ts";
import type { PageFormat } from "./format.ts";
import { eachLine, readJson } from "./each.ts";

/** The event times of a whole page's records, milliseconds; undefined for a record that shows none. */
export function timesOf(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
): (number | undefined)[] {
  const times: (number | undefined)[] = [];
  const source = format === "csv" ? csvToLines(bytes) : bytes;
  const take = (start: number, end: number): void =>
    void times.push(timeOf(source.toString("utf8", start, end)));
  if (format === "json") readJson(source, recordsAt, take);
  else eachLine(source, take);
  return times;
}

function timeOf(record: string): number | undefined {
  try {
    const { time } = parseKeepingNumbers(record) as { time?: unknown };
    const digits = digitsOf(time);
    return readRecordedMs(digits === undefined ? String(time) : numberText(digits));
  } catch {
    return undefined;
  }
}
