import { allOf, checkPiece, type FileBytes } from "./file-bytes.ts";

/** The lines of a file as pages of about `pageBytes`, cut between lines; a last line may have no end. */
export async function* linePages(file: FileBytes, pageBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of allOf(file)) {
    // Only the new bytes are searched: a long line is not looked through again with every chunk.
    const cut = length + chunk.length < pageBytes ? 0 : chunk.lastIndexOf(10) + 1;
    if (cut > 0) {
      yield Buffer.concat([...parts, chunk.subarray(0, cut)]);
      parts = [];
      length = 0;
    }
    parts.push(chunk.subarray(cut));
    length += chunk.length - cut;
    checkPiece(length);
  }
  if (length > 0) yield Buffer.concat(parts);
}
