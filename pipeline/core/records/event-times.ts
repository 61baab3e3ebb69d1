import { readRecordedMs } from "../../base/time/text.ts";
import { readDigits, formatNumber, parseKeepingNumbers } from "./canonical.ts";
import { convertCsvToLines } from "./csv.ts";
import type { PageFormat } from "./format.ts";
import { forEachLine, readJson } from "./each.ts";

/** The event times of a whole page's records, milliseconds; undefined for a record that shows none. */
export function readTimes(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
): (number | undefined)[] {
  const times: (number | undefined)[] = [];
  const source = format === "csv" ? convertCsvToLines(bytes) : bytes;
  const take = (start: number, end: number): void =>
    void times.push(readTime(source.toString("utf8", start, end)));
  if (format === "json") readJson(source, recordsAt, take);
  else forEachLine(source, take);
  return times;
}

function readTime(record: string): number | undefined {
  try {
    const { time } = parseKeepingNumbers(record) as { time?: unknown };
    const digits = readDigits(time);
    return readRecordedMs(digits === undefined ? String(time) : formatNumber(digits));
  } catch {
    return undefined;
  }
}
