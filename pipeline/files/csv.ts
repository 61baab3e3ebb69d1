import { parse } from "csv-parse";
import { Readable } from "node:stream";
import { checkLastRow, csvError, csvOptions, rowWriter } from "../records/csv.ts";
import { markLength } from "../records/text.ts";
import { allOf, maxPieceBytes, type FileBytes } from "./bytes.ts";

/** The rows of a CSV file as pages of JSON lines; throws PageError where it is cut off or malformed. */
export async function* csvPages(file: FileBytes, pageBytes: number): AsyncGenerator<Buffer> {
  const end = { isLineBreak: true };
  const input = Readable.from(watched(file, end), { objectMode: false });
  const rows = input.pipe(parse({ ...csvOptions, max_record_size: maxPieceBytes }));
  input.on("error", (error) => rows.destroy(error));
  let header: string[] | undefined;
  let write: ReturnType<typeof rowWriter> | undefined;
  let last: string[] = [];
  let lines = "";
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      last = row;
      if (write === undefined) write = rowWriter((header = row));
      else lines += write(row);
      if (lines.length < pageBytes) continue;
      yield Buffer.from(lines, "latin1");
      lines = "";
    }
    checkLastRow(header ?? [], last, end.isLineBreak);
  } catch (error) {
    throw csvError(error);
  }
  if (lines !== "") yield Buffer.from(lines, "latin1");
}

async function* watched(file: FileBytes, end: { isLineBreak: boolean }): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of allOf(file)) {
    end.isLineBreak = chunk.at(-1) === 10 || chunk.at(-1) === 13;
    yield isFirst ? chunk.subarray(markLength(chunk)) : chunk;
    isFirst = false;
  }
}
