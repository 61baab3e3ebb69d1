import { listKeys, looksLikeRecords, readEnvelope } from "../records/envelope.ts";
import { showsRecord } from "../records/arrays.ts";
import { LastingPageError, PageError } from "../records/error.ts";
import type { PageBody } from "../records/format.ts";
import { skipSpace, skipValue } from "../records/structure.ts";
import { isBlank, markLength } from "../records/text.ts";
import { readArrangedPages, findRecordPath } from "./cut-records.ts";
import { readArrayPages, findArray } from "./array.ts";
import { readAll, readAtLeast, checkPiece, type FileBytes } from "./bytes.ts";

/** Where the records are: as `--records-at` names it, and as the configuration does. */
export type RecordsAt = { readonly given: string | undefined; readonly configured: string | null };

/** How much of a file is looked at to find its records. */
export const mostLookedAtBytes = 16 * 1024 * 1024;

/** The separator that begins each value in RFC 7464. */
export const recordSeparator = 30;

/** The records of a file of JSON, one record to a line, whose beginning is `head`. */
export async function* readLines(
  file: FileBytes,
  head: Buffer,
  { given }: RecordsAt,
  pageBytes: number,
): AsyncGenerator<PageBody> {
  const path = given?.split(".") ?? findPathInLines(head);
  if (path !== undefined) return yield* readArranged(file, path, pageBytes);
  for await (const bytes of readLinePages(file, pageBytes)) yield { bytes, format: "ndjson" };
}

// Undefined if each line is a record: then only the damaged line goes to quarantine, not the whole file.
function findPathInLines(head: Buffer): readonly string[] | undefined {
  const start = skipSpace(head, markLength(head));
  if (head[start] === recordSeparator) return inferPath(head) ?? [];
  if (hasMoreOnLine(head, start)) return inferPath(head) ?? [];
  if (showsRecord(listKeys(head, start))) return undefined;
  return inferPath(head);
}

/** Whether a second value begins on the line on which the first one ends. */
export function hasMoreOnLine(head: Buffer, start: number): boolean {
  const end = skipValue(head, start);
  if (end <= 0) return false;
  const lineFeed = head.indexOf(10, end);
  const lineEnd = lineFeed < 0 ? head.length : lineFeed;
  return skipSpace(head, end, lineEnd) < lineEnd;
}

/**
 * The records of a file of JSON that begins with something else than a record: an array, an envelope, or any other
 * arrangement.
 */
export async function* readJsonFile(
  file: FileBytes,
  at: RecordsAt,
  pageBytes: number,
): AsyncGenerator<PageBody> {
  const recordsAt = at.given ?? at.configured;
  const found = await findArray(file, recordsAt, mostLookedAtBytes);
  const { array, fault } = found;
  const isBare = array === skipSpace(found.head, markLength(found.head));
  const head = isBare ? await readUntilClear(file, found.head, array) : found.head;
  const path =
    array === undefined
      ? findOtherPath(head, at)
      : isBare
        ? findPathInArray(head, array, at)
        : undefined;
  if (path !== undefined || array === undefined) file.unread(head);
  if (path !== undefined) yield* readArranged(file, path, pageBytes);
  else if (array === undefined) await refuseOrEmpty(file, recordsAt, fault);
  else {
    for await (const bytes of readArrayPages(file, head, array, pageBytes))
      yield { bytes, format: "json" };
    yield* readRest(file, head, { array, isBare, recordsAt }, pageBytes);
  }
}

async function* readArranged(
  file: FileBytes,
  path: readonly string[],
  pageBytes: number,
): AsyncGenerator<PageBody> {
  for await (const bytes of readArrangedPages(file, path, pageBytes))
    yield { bytes, format: "ndjson" };
}

// Reads on until the first elements of an array show whether they are records.
async function readUntilClear(file: FileBytes, first: Buffer, array: number): Promise<Buffer> {
  let head = first;
  while (head.length < mostLookedAtBytes && isRecords(head, array) === undefined) {
    const more = await file.extend(head, head.length);
    if (more.length === head.length) break;
    head = more;
  }
  return head;
}

// Undefined where the bytes end too early.
function isRecords(head: Buffer, array: number): boolean | undefined {
  try {
    return looksLikeRecords(head, array);
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

// Of an array whose elements are no records, but lead to some.
function findPathInArray(
  head: Buffer,
  array: number,
  { given }: RecordsAt,
): readonly string[] | undefined {
  if (given !== undefined) return given.split(".");
  return isRecords(head, array) === false ? inferPath(head) : undefined;
}

// A configured path counts for what the service answers; a file that has its records elsewhere may be that of another.
function findOtherPath(
  head: Buffer,
  { given, configured }: RecordsAt,
): readonly string[] | undefined {
  if (given !== undefined) return given.split(".");
  const path = inferPath(head);
  return configured === null || path?.join(".") === configured ? path : undefined;
}

// An envelope without records is no fault of the file.
async function refuseOrEmpty(
  file: FileBytes,
  recordsAt: string | null,
  fault: PageError | undefined,
): Promise<void> {
  if (fault instanceof LastingPageError) throw fault;
  readEnvelope(await readRemaining(file), undefined, 0, recordsAt, []);
  if (fault !== undefined) throw fault;
}

type Surroundings = {
  readonly array: number;
  readonly isBare: boolean;
  readonly recordsAt: string | null;
};

// What surrounds the array, which is left empty there, and what follows it.
async function* readRest(
  file: FileBytes,
  head: Buffer,
  { array, isBare, recordsAt }: Surroundings,
  pageBytes: number,
): AsyncGenerator<PageBody> {
  const rest = await readAtLeast(file, pageBytes);
  const end = skipValue(rest, skipSpace(rest, markLength(rest)));
  file.unread(rest);
  if (end > 0 && !isBlank(rest.subarray(end)))
    yield* readArranged(file, isBare ? [] : (inferPath(head) ?? []), pageBytes);
  else readEnvelope(await readRemaining(file), array, array + 2, recordsAt, []);
}

function inferPath(head: Buffer): readonly string[] | undefined {
  return findRecordPath(head.subarray(markLength(head)).toString("utf8").replaceAll("\u001e", " "));
}

async function readRemaining(file: FileBytes): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const next of readAll(file)) {
    length += next.length;
    checkPiece(length);
    parts.push(next);
  }
  return Buffer.concat(parts);
}

/** The lines of a file as pages of about `pageBytes`, split between lines; a last line may have no end. */
async function* readLinePages(file: FileBytes, pageBytes: number): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for (;;) {
    // A long line is read in ever longer steps, so that it is not copied too often.
    const bytes = await file.extend(left, Math.max(pageBytes, left.length));
    if (bytes.length === left.length) break;
    // Only the new bytes are searched: a long line is not looked through again.
    const end = left.length + bytes.subarray(left.length).lastIndexOf(10) + 1;
    if (end === left.length) left = bytes;
    else {
      yield bytes.subarray(0, end);
      left = bytes.subarray(end);
    }
    checkPiece(left.length);
  }
  if (left.length > 0) yield left;
}
