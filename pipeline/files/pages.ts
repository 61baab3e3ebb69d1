import { PageError } from "../records/error.ts";
import { detectFormat, type PageBody, startsEnvelope } from "../records/format.ts";
import { openBrace, skipSpace } from "../records/structure.ts";
import { markLength } from "../records/text.ts";
import { arrayPages } from "./array.ts";
import { atLeast, maxPieceBytes, openBytes, type FileBytes } from "./bytes.ts";
import { csvPages } from "./csv.ts";
import { linePages } from "./line-pages.ts";

const pageBytes = 8 * 1024 * 1024;

/**
 * A file of records as pages of some megabytes, split between records. It may be JSON (array or envelope),
 * newline-delimited JSON or CSV, plain, gzip or zstd, as its content shows. `onRead` gets the bytes read from disk so
 * far; `recordsAt` is the dotted path of the record array in an envelope. Throws PageError on a file that is cut off or
 * holds something else.
 */
export async function* readFilePages(
  path: string,
  onRead: (bytes: number) => void,
  recordsAt: string | null = null,
): AsyncGenerator<PageBody> {
  await using file = await openBytes(path, onRead);
  const head = await firstLine(file);
  if (head.length === 0)
    throw new PageError("the file is empty; expected JSON, newline-delimited JSON or CSV");
  const format = detectFormat(head);
  file.unread(head);
  if (format === "ndjson")
    for await (const bytes of linePages(file, pageBytes)) yield { bytes, format };
  else if (format === "json")
    for await (const bytes of arrayPages(file, recordsAt, pageBytes)) yield { bytes, format };
  else for await (const bytes of csvPages(file, pageBytes)) yield { bytes, format: "ndjson" };
}

// Enough of the beginning to tell the format: of a file that starts with an object the first line and
// something of the next.
async function firstLine(file: FileBytes): Promise<Buffer> {
  let head = await atLeast(file, 1);
  for (;;) {
    const start = skipSpace(head, markLength(head));
    const isClear =
      start < head.length &&
      (head[start] !== openBrace || hasSecondLine(head, start) || startsEnvelope(head));
    if (isClear || head.length > maxPieceBytes) return head;
    const more = await file.extend(head, head.length);
    if (more.length === head.length) return head;
    head = more;
  }
}

function hasSecondLine(head: Buffer, start: number): boolean {
  const lineFeed = head.indexOf(10, start);
  return lineFeed >= 0 && skipSpace(head, lineFeed) < head.length;
}
