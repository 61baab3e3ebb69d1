import { findNamedPath } from "./find-path.ts";
import { plural } from "../../base/terminal/amounts.ts";
import { PageError } from "../records/error.ts";
import type { PageBody } from "../records/format.ts";
import { eachLine, readJson } from "../records/each.ts";
import { keysOf } from "../records/envelope.ts";

/**
 * Passes on the pages of a file. Throws PageError at their end where there are records and none has an `event_name`: the
 * file is some other log, or its events are wrapped in something.
 */
export async function* requireNames(pages: AsyncGenerator<PageBody>): AsyncGenerator<PageBody> {
  let first: PageBody | undefined;
  let records = 0;
  let isNamed = false;
  for await (const page of pages) {
    first ??= page;
    if (!isNamed) {
      const found = lookForName(page);
      records += found.records;
      isNamed = found.isNamed;
    }
    yield page;
  }
  if (first !== undefined && records > 0 && !isNamed) throw nameless(first, records);
}

// Records are looked at up to the first one with a name.
function lookForName({ bytes, format }: PageBody): { records: number; isNamed: boolean } {
  let records = 0;
  let isNamed = false;
  const look = (start: number, end: number): void => {
    records += 1;
    isNamed ||= hasName(bytes.subarray(0, end), start);
  };
  // A page of a file has its records in a bare array, or line by line.
  if (format === "json") readJson(bytes, null, look);
  else eachLine(bytes, look);
  return { records, isNamed };
}

function hasName(bytes: Buffer, record: number): boolean {
  for (const key of keysOf(bytes, record)) if (key === "event_name") return true;
  return false;
}

function nameless({ bytes }: PageBody, records: number): PageError {
  const path = findNamedPath(bytes.toString("utf8"));
  const advice =
    path === undefined
      ? "it is no audit log, or its columns have other names"
      : `events seem to be at ${path.join(".")}: import it with --records-at ${path.join(".")}`;
  return new PageError(
    `${records === 1 ? "its record has no" : `none of its ${plural(records, "record")} has an`} event_name; nothing of it was loaded; ${advice}`,
  );
}
