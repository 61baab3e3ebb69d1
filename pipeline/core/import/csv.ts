import { parse } from "csv-parse";
import { pipeline, Readable } from "node:stream";
import { checkLastRow, toPageError, detectCsvForm, newRowWriter } from "../records/csv.ts";
import { markLength } from "../records/text.ts";
import { readAll, readAtLeast, maxPieceBytes, type FileBytes } from "./bytes.ts";

const headerBytes = 64 * 1024;

/**
 * The rows of a CSV file as pages of JSON lines; throws PageError where it is cut off or malformed. The `separator` of
 * its cells shows in its header where it is not given.
 */
export async function* readCsvPages(
  file: FileBytes,
  pageBytes: number,
  separator: string | undefined,
): AsyncGenerator<Buffer> {
  const end = { isLineBreak: true };
  const head = await readAtLeast(file, headerBytes);
  file.unread(head.subarray(markLength(head)));
  const form = detectCsvForm(head, separator === undefined ? separators : [separator]);
  const input = Readable.from(watchLineBreak(file, end), { objectMode: false });
  const rows = parse({ ...form, max_record_size: maxPieceBytes });
  // A fault of either ends both: a file that is closed must not be read on.
  pipeline(input, rows, () => undefined);
  let header: string[] | undefined;
  let write: ReturnType<typeof newRowWriter> | undefined;
  let last: string[] = [];
  let lines = "";
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      last = row;
      if (write === undefined) write = newRowWriter((header = row));
      else lines += write(row);
      if (lines.length < pageBytes) continue;
      yield Buffer.from(lines, "latin1");
      lines = "";
    }
    checkLastRow(header ?? [], last, end.isLineBreak);
  } catch (error) {
    throw toPageError(error);
  }
  if (lines !== "") yield Buffer.from(lines, "latin1");
}

/** What may separate the cells of a file. */
const separators = [",", ";", "\t", "|"];

async function* watchLineBreak(
  file: FileBytes,
  end: { isLineBreak: boolean },
): AsyncGenerator<Buffer> {
  for await (const chunk of readAll(file)) {
    end.isLineBreak = chunk.at(-1) === 10 || chunk.at(-1) === 13;
    yield chunk;
  }
}
