import { csvToLines } from "./csv.ts";
import { eachLine, hasId, readJson } from "./each.ts";
import { timesOf } from "./event-times.ts";
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
  const [first, ...others] = timesOf(bytes, format, recordsAt).map(secondOf);
  return first !== undefined && others.every((second) => second === first);
}

function secondOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

// As a burst of one event gives them.
function areAllEqual({ bytes, format }: PageBody, recordsAt: string | null): boolean {
  const source = format === "csv" ? csvToLines(bytes) : bytes;
  let first: Buffer | undefined;
  let areEqual = true;
  const compare = (start: number, end: number): void => {
    const record = source.subarray(start, end);
    first ??= record;
    areEqual &&= first.equals(record);
  };
  if (format === "json") readJson(source, recordsAt, compare);
  else eachLine(source, compare);
  return areEqual;
}
