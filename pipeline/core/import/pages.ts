import { statSync } from "node:fs";
import { CutOffError, PageError } from "../records/error.ts";
import { detectFormat, type PageBody, startsEnvelope } from "../records/format.ts";
import { openBrace, skipSpace, skipValue } from "../records/structure.ts";
import { markLength } from "../records/text.ts";
import { newTruncatedError } from "./array.ts";
import {
  readAll,
  readAtLeast,
  type FileBytes,
  type FileWatch,
  maxPieceBytes,
  watchBytes,
} from "./bytes.ts";
import { readCsvPages } from "./csv.ts";
import { findFault, decodeTexts } from "./tokens.ts";
import { readJsonFile, readLines, recordSeparator, type RecordsAt } from "./json.ts";
import { kindBytes, refuseKind } from "./kinds.ts";
import { openBytes } from "./open.ts";

const pageBytes = 8 * 1024 * 1024;

export type FileForm = {
  /** Dotted path of the record array, as configured for what the service answers. */
  readonly recordsAt?: string | null;
  /** The same as given for this file: it leads to the records through arrays, and has to be there. */
  readonly givenAt?: string | undefined;
  /** What separates the cells of CSV; found in the header where it is not given. */
  readonly separator?: string | undefined;
};

/**
 * A file of records as pages of some megabytes, split between records. It may be JSON in any arrangement, CSV or
 * Parquet, plain, gzip or zstd, as its content shows. Throws PageError on a file that is cut off or holds something
 * else.
 */
export async function* readFilePages(
  path: string,
  watch: FileWatch,
  form: FileForm = {},
): AsyncGenerator<PageBody> {
  try {
    await using file = await openBytes(path, watch);
    yield* readPages(file, form);
  } catch (error) {
    throw await locateFault(error, path);
  }
}

async function* readPages(file: FileBytes, form: FileForm): AsyncGenerator<PageBody> {
  await skipZeros(file);
  const head = await readFirstLine(file);
  refuseKind(head);
  const at: RecordsAt = { given: form.givenAt, configured: form.recordsAt ?? null };
  const start = skipSpace(head, markLength(head));
  if (start === head.length)
    throw new PageError("the file is empty; expected JSON, newline-delimited JSON, CSV or Parquet");
  const format = head[start] === recordSeparator ? "ndjson" : detectFormat(head);
  file.unread(head);
  if (format === "csv") {
    if (at.given !== undefined)
      throw new PageError("the file is CSV, whose rows are records; omit --records-at");
    for await (const bytes of readCsvPages(file, pageBytes, form.separator))
      yield { bytes, format: "ndjson" };
  } else if (format === "ndjson") yield* readLines(file, head, at, pageBytes);
  else yield* readJsonFile(file, at, pageBytes);
}

// A log that is truncated while a program writes to it continues behind zero bytes. One alone before a letter is of
// UTF-16.
async function skipZeros(file: FileBytes): Promise<void> {
  let head = await readAtLeast(file, kindBytes);
  if (head[0] === 0 && head[1] !== 0 && head[2] === 0) return file.unread(head);
  for (;;) {
    const first = head.findIndex((byte) => byte !== 0);
    if (first >= 0) return file.unread(head.subarray(first));
    const more = await file.read();
    if (more === undefined) return;
    head = more;
  }
}

// Enough of the beginning to show the format: of a file that starts with an object the first line and
// something of the next.
async function readFirstLine(file: FileBytes): Promise<Buffer> {
  let head = await readAtLeast(file, kindBytes);
  for (;;) {
    const start = skipSpace(head, markLength(head));
    const isClear =
      start < head.length &&
      (head[start] !== openBrace ||
        hasSecondLine(head, start) ||
        startsEnvelope(head) ||
        hasSecondValue(head, start));
    if (isClear || head.length > maxPieceBytes) return head;
    const more = await file.extend(head, Math.max(head.length, 1));
    if (more.length === head.length) return head;
    head = more;
  }
}

function hasSecondLine(head: Buffer, start: number): boolean {
  const lineFeed = head.indexOf(10, start);
  return lineFeed >= 0 && skipSpace(head, lineFeed) < head.length;
}

function hasSecondValue(head: Buffer, start: number): boolean {
  const end = skipValue(head, start);
  return end > 0 && skipSpace(head, end) < head.length;
}

// The JSON reader does not report positions; a file can be read again to find them, a pipe cannot.
async function locateFault(error: unknown, path: string): Promise<unknown> {
  const isOfTokens = error instanceof Error && error.message.startsWith("Parser");
  const isOfJson = error instanceof CutOffError;
  if (!isOfTokens && !isOfJson) return error;
  const fault = statSync(path).isFile() ? await findFileFault(path) : undefined;
  if (fault !== undefined) return fault;
  return isOfTokens ? newTruncatedError() : error;
}

async function findFileFault(path: string): Promise<PageError | undefined> {
  await using file = await openBytes(
    path,
    watchBytes(() => undefined),
  );
  await skipZeros(file);
  return await findFault(decodeTexts(readAll(file)));
}
