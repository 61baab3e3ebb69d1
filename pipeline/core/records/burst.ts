import { convertCsvToLines } from "./csv.ts";
import { forEachLine, hasId, readJson } from "./each.ts";
import { readTimes } from "./event-times.ts";
import type { PageBody } from "./format.ts";

/**
 * Decides whether a whole page may occur in its log several times: all its records have one text, or no id and one
 * second, in which bursts of several events alternate.
 */
export function isBurst(page: PageBody, recordsAt: string | null): boolean {
  return (
    areAllEqual(page, recordsAt) || (!hasId(page, recordsAt) && isOfOneSecond(page, recordsAt))
  );
}

function isOfOneSecond({ bytes, format }: PageBody, recordsAt: string | null): boolean {
  const [first, ...others] = readTimes(bytes, format, recordsAt).map(roundToSecond);
  return first !== undefined && others.every((second) => second === first);
}

function roundToSecond(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

// As a burst of one event gives them.
function areAllEqual({ bytes, format }: PageBody, recordsAt: string | null): boolean {
  const source = format === "csv" ? convertCsvToLines(bytes) : bytes;
  let first: Buffer | undefined;
  let areEqual = true;
  const compareRecords = (start: number, end: number): void => {
    const record = source.subarray(start, end);
    first ??= record;
    areEqual &&= first.equals(record);
  };
  if (format === "json") readJson(source, recordsAt, compareRecords);
  else forEachLine(source, compareRecords);
  return areEqual;
}
